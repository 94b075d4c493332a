# SPDX-License-Identifier: Apache-2.0
"""Every right in the chart is one that a program needs, and every request of a program has its right.

A program can build a request only from an entry of src/kubeclient/verbs.h, so its tables there are all that it asks for; the
compiler and the tests of api_path see to that. That each is really made, and none is refused, is shown by tests/e2e/test_rbac.py.
"""
import re

import pytest

from rendering import NAMESPACE, ROOT, granted, requests_in_code

SOURCE = ROOT / "src"
# Each cluster role of ours, and the tables of what its holder's program does in all namespaces.
CLUSTER_ROLES = {"aliquot-agent": ["Agent"], "aliquot-viewer": ["Why"]}
# Rights to pages, not to objects: tests/chart/test_agent.py.
PAGES = {"aliquot-agent-reader", "aliquot-allocator-reader", "aliquot-verify"}
# The objects of one name that a right is about. Nothing else of these kinds may be read.
NAMES = {"secrets": {"aliquot-ca", "aliquot-scheduler-client", "aliquot-signing"},
         # Doctor's rule names the Services that it looks at beside it.
         "configmaps": {"aliquot-signing-keys", "aliquot-extender", "aliquot-admission"},
         "mutatingwebhookconfigurations": {"aliquot"}, "serviceaccounts/token": {"aliquot-verify"}}


def roles(objects, kind):
    """Every role of a kind by name."""
    return {each["metadata"]["name"]: each for each in objects if each["kind"] == kind}


def rights(role):
    """(group, resource, verb) of the rules that are about objects."""
    return granted({"rules": [rule for rule in role["rules"] if "nonResourceURLs" not in rule]})


def requests(tables):
    """What the programs of these tables ask for."""
    return set().union(*(requests_in_code(table) for table in tables))


@pytest.mark.parametrize("name", CLUSTER_ROLES)
def test_a_cluster_role_is_exactly_what_its_program_asks_for(objects, name):
    assert rights(roles(objects, "ClusterRole")[name]) == requests(CLUSTER_ROLES[name])


@pytest.mark.parametrize("certificates, signing", [
    ("managed", "managed"), ("managed", "off"), ("given", "managed"), ("given", "off")])
def test_the_allocator_has_the_rights_of_what_it_keeps_itself(helm, certificates, signing):
    made = helm.render(f"certificates.mode={certificates}", f"signing.mode={signing}", "certificates.given.caBundle=Zm9v")
    everywhere = rights(roles(made, "ClusterRole")["aliquot-allocator"])
    here = roles(made, "Role").get("aliquot-allocator")
    webhooks = ("admissionregistration.k8s.io", "mutatingwebhookconfigurations")
    kept = set()
    if certificates == "managed":
        kept |= {("", "secrets"), webhooks}
    if signing == "managed":
        kept |= {("", "secrets"), ("", "configmaps")}
    needed = {each for each in requests(["Certificate"]) if each[:2] in kept}
    assert everywhere == requests(["Allocator", "AllocatorPage"]) | {each for each in needed if each[:2] == webhooks}
    assert (rights(here) if here else set()) == {each for each in needed if each[:2] != webhooks}
    named = {} if here is None else {rule["resources"][0]: set(rule["resourceNames"]) for rule in here["rules"]}
    names = {"secrets": set(), "configmaps": set()}
    if certificates == "managed":
        names["secrets"] |= {"aliquot-ca", "aliquot-scheduler-client"}
    if signing == "managed":
        names["secrets"].add("aliquot-signing")
        names["configmaps"].add("aliquot-signing-keys")
    assert named == {kind: each for kind, each in names.items() if each}
    # It may not make them, so the chart does.
    for kind, each in (("Secret", names["secrets"]), ("ConfigMap", names["configmaps"])):
        assert each <= set(roles(made, kind))


def test_there_is_no_role_without_a_program(objects):
    assert set(roles(objects, "ClusterRole")) == set(CLUSTER_ROLES) | PAGES | {"aliquot-allocator", "aliquot-test"}
    assert set(roles(objects, "Role")) == {"aliquot-allocator", "aliquot-scheduler", "aliquot-test", "aliquot-verify"}


def test_helm_test_may_look_at_what_doctor_looks_at_but_no_secret(objects):
    everywhere, here = (rights(roles(objects, kind)["aliquot-test"]) for kind in ("ClusterRole", "Role"))
    assert everywhere | here == requests(["Doctor"]) - {("", "secrets", "get")}
    assert not everywhere & here
    for kind in ("ClusterRole", "Role", "ClusterRoleBinding", "RoleBinding", "ServiceAccount", "Pod"):
        # Nothing of it is there but while a test runs.
        assert roles(objects, kind)["aliquot-test"]["metadata"]["annotations"]["helm.sh/hook"] == "test"


def test_the_bundled_scheduler_has_besides_kubernetes_roles_its_own_lease(objects):
    role = roles(objects, "Role")["aliquot-scheduler"]
    assert role["metadata"]["namespace"] == NAMESPACE
    # The chart makes the Lease, so that it goes with the release: nobody may create one.
    assert [(set(rule["verbs"]), rule.get("resourceNames")) for rule in role["rules"]] == [
        ({"get", "update"}, ["aliquot-scheduler"])]
    assert "aliquot-scheduler" in roles(objects, "Lease")
    assert {each[:2] for each in rights(role)} == {("coordination.k8s.io", "leases")}


def test_no_rule_has_a_wildcard(objects):
    for kind in ("ClusterRole", "Role"):
        for name, role in roles(objects, kind).items():
            for rule in role["rules"]:
                for key, values in rule.items():
                    assert not any("*" in each for each in values), f"{kind} {name}: {key}"


def test_what_is_secret_or_powerful_is_named(objects):
    for kind in ("ClusterRole", "Role"):
        for name, role in roles(objects, kind).items():
            for rule in role["rules"]:
                for resource in set(rule.get("resources", [])) & set(NAMES):
                    if resource == "mutatingwebhookconfigurations" and rule["verbs"] == ["list"]:
                        continue  # no secret; doctor looks for those of others
                    assert set(rule["resourceNames"]) <= NAMES[resource] and rule["resourceNames"], f"{kind} {name}: {rule}"
                    # A list or watch of named objects is one of all: RBAC does not narrow it.
                    assert not {"list", "watch", "deletecollection"} & set(rule["verbs"]), f"{kind} {name}: {rule}"


def test_no_program_may_give_itself_more(objects):
    for kind in ("ClusterRole", "Role"):
        for name, role in roles(objects, kind).items():
            for group, resource, verb in rights(role):
                assert verb not in ("impersonate", "escalate", "bind", "*"), f"{kind} {name}"
                assert group != "rbac.authorization.k8s.io", f"{kind} {name} may {verb} {resource}"
                assert (resource, verb) not in {("pods", "create"), ("pods/exec", "create"), ("nodes", "delete")}, name


def test_every_binding_gives_one_role_to_accounts_of_ours(objects):
    """Unless the values name others."""
    accounts = roles(objects, "ServiceAccount")
    # Kubernetes' own roles, of the bundled kube-scheduler.
    theirs = {"system:kube-scheduler", "system:volume-scheduler", "extension-apiserver-authentication-reader"}
    for kind in ("ClusterRoleBinding", "RoleBinding"):
        for name, binding in roles(objects, kind).items():
            reference = binding["roleRef"]
            if reference["name"] in theirs:
                assert [each["name"] for each in binding["subjects"]] == ["aliquot-scheduler"], name
            else:
                assert reference["name"] in roles(objects, reference["kind"]), f"{kind} {name}"
            for subject in binding["subjects"]:
                assert subject["kind"] == "ServiceAccount" and subject["namespace"] == NAMESPACE, f"{kind} {name}"
                assert subject["name"] in accounts, f"{kind} {name}: no such account"


def test_a_viewer_may_only_read_and_has_what_get_and_simulate_need():
    # get, topology and simulate --pod list nodes and pods.
    assert requests(["Why"]) >= {("", "nodes", "list"), ("", "pods", "list")}
    assert {verb for _, _, verb in requests(["Why"])} <= {"get", "list"}
    assert not {resource for _, resource, _ in requests(["Why"])} & {"secrets", "configmaps", "pods/proxy", "serviceaccounts/token"}


def test_viewers_are_bound_when_the_values_name_them(helm, objects):
    assert "aliquot-viewer" not in roles(objects, "ClusterRoleBinding")
    binding = roles(helm.render("viewers[0].kind=Group", "viewers[0].name=developers"), "ClusterRoleBinding")["aliquot-viewer"]
    assert binding["subjects"] == [{"kind": "Group", "name": "developers", "apiGroup": "rbac.authorization.k8s.io"}]
    assert binding["roleRef"]["name"] == "aliquot-viewer"


# ---- the tables against the code ----

def constants():
    """Name to fields of every entry, and name to entries of every table, of verbs.h."""
    text = (SOURCE / "kubeclient" / "verbs.h").read_text()
    entries = set(re.findall(r"constexpr ApiVerb (k\w+)\{", text))
    tables = {name: set(re.findall(r"k\w+", body)) for name, body in re.findall(
        r"std::array k(\w+)Verbs\{(.*?)\};", text, flags=re.DOTALL)}
    return entries, tables


def used(*rooms):
    """The entries of verbs.h that the sources of these rooms name."""
    entries, _ = constants()
    words = set()
    for room in rooms:
        for file in sorted((SOURCE / room).rglob("*.cc")) + sorted((SOURCE / room).rglob("*.h")):
            if file.name != "verbs.h":
                words |= set(re.findall(r"\bk[A-Z]\w+", file.read_text()))
    return words & entries


# Which rooms' requests belong to which tables. kubeclient serves all programs.
ROOMS = {"agent": ["Agent"], "certificates": ["Certificate"], "reconcile": ["Allocator"], "extender": ["Allocator"],
         "admission": ["Allocator"], "allocator": ["Allocator", "Certificate"], "access": ["AllocatorPage"]}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_asks_for_what_is_in_its_programs_table(room):
    _, tables = constants()
    allowed = set().union(*(tables[table] for table in ROOMS[room]))
    assert used(room) <= allowed, used(room) - allowed


def test_the_command_line_asks_for_what_is_in_its_tables():
    _, tables = constants()
    programs = {"Allocator", "AllocatorPage", "Agent", "Certificate"}
    allowed = set().union(*(entries for name, entries in tables.items() if name not in programs))
    assert used("cli") <= allowed, used("cli") - allowed


def test_every_entry_is_in_a_table_and_used():
    entries, tables = constants()
    assert set().union(*tables.values()) == entries
    everywhere = used(*(each.name for each in SOURCE.iterdir() if each.is_dir()))
    assert everywhere == entries, entries - everywhere
