# SPDX-License-Identifier: Apache-2.0
"""The node agent's account, rights and policies as the real helm renders them.

What the policies do is shown on a real API server by tests/e2e/test_agent_policy.py.
"""
import re

import pytest

from rendering import NAMESPACE, granted, one, requests_in_code

USER = f"system:serviceaccount:{NAMESPACE}:aliquot-agent"
POLICIES = ["aliquot-agent-event", "aliquot-agent-node", "aliquot-gpu-inventory"]


def policy(objects, name):
    """The spec of one policy."""
    return one(objects, "ValidatingAdmissionPolicy", name)["spec"]


def flat(expression):
    """An expression without line breaks."""
    return re.sub(r"\s+", " ", expression)


def test_the_agents_role_grants_exactly_this(objects):
    assert granted(one(objects, "ClusterRole", "aliquot-agent")) == {
        ("", "nodes", "get"), ("", "nodes", "list"), ("", "nodes", "watch"), ("", "nodes", "patch"),
        ("", "pods", "list"), ("", "pods", "watch"),
        ("events.k8s.io", "events", "create"),
        ("authentication.k8s.io", "tokenreviews", "create"),
        ("authorization.k8s.io", "subjectaccessreviews", "create")}


def test_the_agents_role_grants_what_its_code_asks_for_and_no_more(objects):
    assert granted(one(objects, "ClusterRole", "aliquot-agent")) == requests_in_code("Agent")


def test_no_rule_of_the_agent_is_narrowed_or_widened_by_other_means(objects):
    for rule in one(objects, "ClusterRole", "aliquot-agent")["rules"]:
        assert set(rule) == {"apiGroups", "resources", "verbs"}
        assert "*" not in rule["apiGroups"] + rule["resources"] + rule["verbs"]


def test_the_agents_role_is_bound_to_its_account_only(objects):
    binding = one(objects, "ClusterRoleBinding", "aliquot-agent")
    assert binding["roleRef"]["name"] == "aliquot-agent"
    assert binding["subjects"] == [
        {"kind": "ServiceAccount", "name": "aliquot-agent", "namespace": NAMESPACE}]
    assert one(objects, "ServiceAccount", "aliquot-agent")["automountServiceAccountToken"] is False


def paths(role):
    """(path, verb) of every non-resource right of a role that has no other."""
    assert all(set(rule) == {"nonResourceURLs", "verbs"} for rule in role["rules"])
    return {(path, verb) for rule in role["rules"] for path in rule["nonResourceURLs"] for verb in rule["verbs"]}


def test_readers_of_the_agents_pages_get_these_pages_and_nothing_of_the_api(objects):
    assert paths(one(objects, "ClusterRole", "aliquot-agent-reader")) == {
        ("/metrics", "get"), ("/grants", "get"), ("/shares", "get"), ("/verify", "get"), ("/version", "get")}


def test_the_account_of_verify_reads_three_pages_of_agents_and_none_of_the_api_server(objects):
    assert paths(one(objects, "ClusterRole", "aliquot-verify")) == {("/shares", "get"), ("/verify", "get"), ("/version", "get")}
    binding = one(objects, "ClusterRoleBinding", "aliquot-verify")
    assert binding["roleRef"]["name"] == "aliquot-verify"
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "aliquot-verify", "namespace": NAMESPACE}]
    assert one(objects, "ServiceAccount", "aliquot-verify")["automountServiceAccountToken"] is False


def test_who_verifies_gets_the_way_to_the_agents_and_tokens_of_that_one_account(objects):
    role = one(objects, "Role", "aliquot-verify")
    assert role["metadata"]["namespace"] == NAMESPACE
    assert granted(role) == {("", "pods", "list"), ("", "pods/proxy", "get"), ("", "serviceaccounts/token", "create")}
    (tokens,) = [rule for rule in role["rules"] if "serviceaccounts/token" in rule["resources"]]
    assert tokens["resourceNames"] == ["aliquot-verify"]


def test_the_role_of_verify_is_what_the_command_line_asks_for(objects):
    """Besides reading the pod in its own namespace, and what `simulate --pod` lists."""
    elsewhere = {("", "pods", "get"), ("", "nodes", "list")}
    assert granted(one(objects, "Role", "aliquot-verify")) == requests_in_code("CommandLine") - elsewhere


def test_nobody_reads_or_verifies_unless_the_values_name_him(helm, objects):
    bound = {(each["kind"], each["metadata"]["name"]) for each in objects if each["kind"].endswith("RoleBinding")}
    assert ("ClusterRoleBinding", "aliquot-agent-reader") not in bound
    assert ("RoleBinding", "aliquot-verify") not in bound
    named = helm.render("agent.readers[0].kind=ServiceAccount", "agent.readers[0].name=prometheus",
                        "agent.readers[0].namespace=monitoring", "agent.verifiers[0].kind=Group",
                        "agent.verifiers[0].name=gpu-operators")
    assert one(named, "ClusterRoleBinding", "aliquot-agent-reader")["subjects"] == [
        {"kind": "ServiceAccount", "name": "prometheus", "namespace": "monitoring"}]
    binding = one(named, "RoleBinding", "aliquot-verify")
    assert binding["metadata"]["namespace"] == NAMESPACE and binding["roleRef"]["kind"] == "Role"
    assert binding["subjects"] == [
        {"kind": "Group", "name": "gpu-operators", "apiGroup": "rbac.authorization.k8s.io"}]


@pytest.mark.parametrize("settings", [
    ("agent.readers[0].kind=ServiceAccount", "agent.readers[0].name=p"),
    ("agent.verifiers[0].kind=User", "agent.verifiers[0].name=u", "agent.verifiers[0].namespace=n"),
    ("agent.verifiers[0].kind=Robot", "agent.verifiers[0].name=u"), ("agent.verifiers[0].kind=User",)])
def test_subjects_that_rbac_would_not_take_are_refused(helm, settings):
    assert "/agent/" in helm.refusal(*settings)


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_fails_closed_is_bound_everywhere_and_denies(objects, name):
    assert policy(objects, name)["failurePolicy"] == "Fail"
    assert one(objects, "ValidatingAdmissionPolicyBinding", name)["spec"] == {
        "policyName": name, "validationActions": ["Deny"]}


@pytest.mark.parametrize("name", POLICIES[:2])
def test_the_agents_policies_look_at_nobody_else(objects, name):
    assert [each["expression"] for each in policy(objects, name)["matchConditions"]] == [
        f'request.userInfo.username == "{USER}"']


def test_deleting_a_node_is_never_judged(objects):
    for name in POLICIES[1:]:
        for rule in policy(objects, name)["matchConstraints"]["resourceRules"]:
            assert rule["resources"] == ["nodes", "nodes/status"]
            assert not {"DELETE", "CONNECT", "*"} & set(rule["operations"])


def test_an_inventory_that_stays_as_it_is_is_not_judged(objects):
    (condition,) = policy(objects, "aliquot-gpu-inventory")["matchConditions"]
    assert " != " in flat(condition["expression"])
    assert flat(condition["expression"]).count('"aliquot.io/gpu-inventory"') == 4


def writers(objects):
    """The expression that says who may write an inventory."""
    (validation,) = policy(objects, "aliquot-gpu-inventory")["validations"]
    return validation["expression"]


def test_inventories_are_written_by_the_agent_and_whom_the_values_name(helm, objects):
    assert writers(objects) == f'request.userInfo.username in ["{USER}"]'
    named = helm.render("agent.inventoryWriters={ops@example.org}")
    assert writers(named) == f'request.userInfo.username in ["{USER}","ops@example.org"]'


def test_another_account_name_reaches_account_binding_and_policies(helm):
    objects = helm.render("agent.serviceAccountName=gpu-node")
    user = f"system:serviceaccount:{NAMESPACE}:gpu-node"
    one(objects, "ServiceAccount", "gpu-node")
    assert one(objects, "ClusterRoleBinding", "aliquot-agent")["subjects"][0]["name"] == "gpu-node"
    for name in POLICIES[:2]:
        assert user in policy(objects, name)["matchConditions"][0]["expression"]
    assert user in writers(objects)


def test_the_startup_taint_is_the_only_one_that_may_go(helm, objects):
    def rule(of):
        return next(flat(each["expression"]) for each in policy(of, "aliquot-agent-node")["validations"]
                    if "taint.key" in each["expression"])
    # No taint has an empty key: without a startup taint none may go.
    assert rule(objects).endswith('taint.key == "")')
    assert rule(helm.render("agent.startupTaint=aliquot.io/starting")).endswith(
        'taint.key == "aliquot.io/starting")')


@pytest.mark.parametrize("setting, named", [
    ("agent.nope=1", "nope"), ("agent.serviceAccountName=Not_A_Name", "/agent/serviceAccountName"),
    ("agent.startupTaint=a/b/c", "/agent/startupTaint"), ("agent.inventoryWriters=admin", "/agent/inventoryWriters")])
def test_wrong_values_of_the_agent_are_refused_by_name(helm, setting, named):
    assert named in helm.refusal(setting)
