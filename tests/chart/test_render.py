# SPDX-License-Identifier: Apache-2.0
"""The chart as the real helm renders it."""
import pathlib
import re
import subprocess

import pytest
import yaml

from rendering import CHART, NAMESPACE, ROOT, granted, one, requests_in_code

USER = f"system:serviceaccount:{NAMESPACE}:aliquot-allocator"


def test_lint_has_nothing_to_say(helm):
    status, text, error = helm.run("lint", "--strict", str(CHART))
    assert status == 0, text + error
    assert "[WARNING]" not in text and "[ERROR]" not in text


def test_the_objects_are_these_and_no_others(objects):
    assert sorted((each["kind"], each["metadata"]["name"]) for each in objects) == [
        ("ClusterRole", "aliquot-agent"), ("ClusterRole", "aliquot-agent-reader"), ("ClusterRole", "aliquot-allocator"),
        ("ClusterRole", "aliquot-verify"), ("ClusterRoleBinding", "aliquot-agent"),
        ("ClusterRoleBinding", "aliquot-allocator"), ("ClusterRoleBinding", "aliquot-verify"),
        ("ConfigMap", "aliquot-allocator"), ("Deployment", "aliquot-allocator"),
        ("MutatingWebhookConfiguration", "aliquot"), ("Role", "aliquot-verify"), ("Service", "aliquot-admission"),
        ("Service", "aliquot-extender"), ("ServiceAccount", "aliquot-agent"),
        ("ServiceAccount", "aliquot-allocator"), ("ServiceAccount", "aliquot-verify"),
        *((kind, name) for kind in ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")
          for name in ("aliquot-agent-event", "aliquot-agent-node", "aliquot-binding-record", "aliquot-gpu-inventory",
                       "aliquot-gpu-uuid", "aliquot-isolation", "aliquot-pod-record"))]


def test_every_namespaced_object_names_its_namespace(objects):
    cluster_scoped = {"ClusterRole", "ClusterRoleBinding", "MutatingWebhookConfiguration",
                      "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"}
    for each in objects:
        expected = None if each["kind"] in cluster_scoped else NAMESPACE
        assert each["metadata"].get("namespace") == expected, each["kind"]


# ---- rights ----

def test_the_role_grants_exactly_this(objects):
    assert granted(one(objects, "ClusterRole", "aliquot-allocator")) == {
        ("", "nodes", "list"), ("", "nodes", "watch"),
        ("", "pods", "get"), ("", "pods", "list"), ("", "pods", "watch"), ("", "pods", "patch"),
        ("", "pods/binding", "create"), ("", "pods/status", "patch"),
        ("policy", "poddisruptionbudgets", "list"), ("policy", "poddisruptionbudgets", "watch"),
        ("events.k8s.io", "events", "create")}


def test_the_role_grants_what_the_code_asks_for_and_no_more(objects):
    assert granted(one(objects, "ClusterRole", "aliquot-allocator")) == requests_in_code("Allocator")


def test_no_rule_is_narrowed_or_widened_by_other_means(objects):
    for rule in one(objects, "ClusterRole", "aliquot-allocator")["rules"]:
        assert set(rule) == {"apiGroups", "resources", "verbs"}
        assert "*" not in rule["apiGroups"] + rule["resources"] + rule["verbs"]


def test_the_role_is_bound_to_our_service_account_only(objects):
    binding = one(objects, "ClusterRoleBinding", "aliquot-allocator")
    assert binding["roleRef"]["name"] == one(objects, "ClusterRole", "aliquot-allocator")["metadata"]["name"]
    assert binding["subjects"] == [
        {"kind": "ServiceAccount", "name": "aliquot-allocator", "namespace": NAMESPACE}]


# ---- webhooks ----

def webhook(objects, name):
    """One webhook by its short name."""
    webhooks = one(objects, "MutatingWebhookConfiguration")["webhooks"]
    assert [each["name"] for each in webhooks] == ["mutate.admission.aliquot.io", "stamp.admission.aliquot.io"]
    return next(each for each in webhooks if each["name"].startswith(name + "."))


def test_mutate_sees_pods_at_creation_and_fails_closed(objects):
    mutate = webhook(objects, "mutate")
    assert mutate["rules"] == [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
                                "resources": ["pods"], "scope": "Namespaced"}]
    assert mutate["failurePolicy"] == "Fail"
    assert mutate["reinvocationPolicy"] == "IfNeeded"
    assert mutate["sideEffects"] == "None"


def test_mutate_is_called_only_for_pods_that_name_our_resources(objects):
    conditions = webhook(objects, "mutate")["matchConditions"]
    assert len(conditions) == 1
    expression = re.sub(r"\s+", "", conditions[0]["expression"])
    assert "object.spec.containers+" in expression
    assert "has(object.spec.initContainers)?object.spec.initContainers:[]" in expression
    for part in ("limits", "requests"):
        assert (f'has(c.resources.{part})&&c.resources.{part}'
                '.exists(name,name.startsWith("tencent.com/vcuda-"))') in expression


def test_the_prefix_reaches_condition_and_configuration(helm):
    objects = helm.render("resourceNames.prefix=gpu.example.org/", "resourceNames.core=gpu.example.org/core",
                          "resourceNames.memory=gpu.example.org/memory")
    expression = webhook(objects, "mutate")["matchConditions"][0]["expression"]
    assert expression.count('"gpu.example.org/"') == 2 and "tencent.com" not in expression
    assert configuration(objects)["resourceNames"] == {
        "core": "gpu.example.org/core", "memory": "gpu.example.org/memory", "prefix": "gpu.example.org/"}


def test_stamp_sees_both_kinds_of_bind_but_ours_and_stands_in_nobodys_way(objects):
    stamp = webhook(objects, "stamp")
    assert stamp["rules"] == [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
                               "resources": ["pods/binding", "bindings"], "scope": "Namespaced"}]
    assert stamp["failurePolicy"] == "Ignore"
    assert stamp["timeoutSeconds"] == 2
    assert stamp["sideEffects"] == "NoneOnDryRun"
    assert [each["expression"] for each in stamp["matchConditions"]] == [
        f'request.userInfo.username != "{USER}"']


@pytest.mark.parametrize("name", ["mutate", "stamp"])
def test_no_webhook_sees_the_control_plane_or_ourselves(objects, name):
    assert webhook(objects, name)["namespaceSelector"] == {"matchExpressions": [
        {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["kube-system", NAMESPACE]}]}
    assert "objectSelector" not in webhook(objects, name)  # a Binding has no labels


def test_excluded_namespaces_are_added(helm):
    objects = helm.render("admission.excludedNamespaces={gpu-operator}")
    values = webhook(objects, "mutate")["namespaceSelector"]["matchExpressions"][0]["values"]
    assert values == ["kube-system", NAMESPACE, "gpu-operator"]


@pytest.mark.parametrize("name", ["mutate", "stamp"])
def test_webhooks_call_the_admission_service(objects, name):
    client = webhook(objects, name)["clientConfig"]
    assert client == {"service": {"namespace": NAMESPACE, "name": "aliquot-admission", "port": 8444,
                                  "path": f"/admission/{name}"}}
    assert webhook(objects, name)["admissionReviewVersions"] == ["v1"]


def test_a_given_ca_bundle_reaches_both_webhooks(helm):
    objects = helm.render("admission.caBundle=QUJD")
    for name in ("mutate", "stamp"):
        assert webhook(objects, name)["clientConfig"]["caBundle"] == "QUJD"


# ---- the policy about naming cards ----

def test_naming_cards_is_judged_in_the_api_server_for_new_values_on_gpu_pods_only(objects):
    spec = one(objects, "ValidatingAdmissionPolicy", "aliquot-gpu-uuid")["spec"]
    assert spec["failurePolicy"] == "Fail"
    assert spec["matchConstraints"] == {"resourceRules": [
        {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["pods"],
         "scope": "Namespaced"}]}
    conditions = {each["name"]: re.sub(r"\s+", " ", each["expression"]) for each in spec["matchConditions"]}
    assert list(conditions) == ["names-cards-to-have", "anew", "names-our-resources"]
    assert '.split(",").all(entry, entry.startsWith("!"))' in conditions["names-cards-to-have"]
    assert conditions["anew"].startswith('request.operation == "CREATE" ||')
    mutate = webhook(objects, "mutate")["matchConditions"][0]["expression"]
    assert conditions["names-our-resources"] == re.sub(r"\s+", " ", mutate)


def test_naming_cards_needs_the_label_of_the_namespace(objects):
    (validation,) = one(objects, "ValidatingAdmissionPolicy", "aliquot-gpu-uuid")["spec"]["validations"]
    assert 'namespaceObject.metadata.labels["aliquot.io/allow-gpu-uuid"] == "true"' in validation["expression"]
    assert validation["reason"] == "Forbidden"
    assert "aliquot.io/allow-gpu-uuid=true" in validation["messageExpression"]


def test_a_weaker_isolation_of_a_share_needs_the_label_of_the_namespace(objects):
    spec = one(objects, "ValidatingAdmissionPolicy", "aliquot-isolation")["spec"]
    assert spec["failurePolicy"] == "Fail"
    conditions = {each["name"]: re.sub(r"\s+", " ", each["expression"]) for each in spec["matchConditions"]}
    assert list(conditions) == ["asks-for-a-weaker-one", "anew", "names-our-resources"]
    assert 'in ["none", "driver"]' in conditions["asks-for-a-weaker-one"]
    (validation,) = spec["validations"]
    assert 'namespaceObject.metadata.labels["aliquot.io/allow-weak-isolation"] == "true"' in validation["expression"]
    assert 'string(c.resources.limits["tencent.com/vcuda-core"]).endsWith("00")' in validation["expression"]


@pytest.mark.parametrize("name", ["aliquot-gpu-uuid", "aliquot-isolation"])
def test_the_policy_is_bound_everywhere_and_denies(objects, name):
    binding = one(objects, "ValidatingAdmissionPolicyBinding", name)["spec"]
    assert binding == {"policyName": one(objects, "ValidatingAdmissionPolicy", name)["metadata"]["name"],
                       "validationActions": ["Deny"]}


# ---- workload ----

def pod_of(objects):
    """The allocator's pod template."""
    return one(objects, "Deployment")["spec"]["template"]["spec"]


def configuration(objects):
    """The configuration file that the allocator is given."""
    return yaml.safe_load(one(objects, "ConfigMap")["data"]["allocator.yaml"])


def test_two_allocators_never_run_at_one_time(objects):
    spec = one(objects, "Deployment")["spec"]
    assert spec["replicas"] == 1
    assert spec["strategy"] == {"type": "Recreate"}


def test_the_pod_meets_the_restricted_security_standard(objects):
    pod = pod_of(objects)
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert not {"hostNetwork", "hostPID", "hostIPC", "initContainers"} & set(pod)
    assert {"configMap", "secret"} >= {key for volume in pod["volumes"] for key in volume if key != "name"}
    (container,) = pod["containers"]
    assert container["securityContext"] == {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                                            "capabilities": {"drop": ["ALL"]}}


def test_secrets_are_mounted_whole_so_that_new_certificates_arrive(objects):
    for mount in pod_of(objects)["containers"][0]["volumeMounts"]:
        assert "subPath" not in mount and mount["readOnly"] is True


def test_probes_ask_from_inside_because_the_monitor_listens_on_loopback(objects):
    (container,) = pod_of(objects)["containers"]
    for probe, question in (("readinessProbe", "ready"), ("livenessProbe", "live")):
        command = container[probe]["exec"]["command"]
        assert command[0] == "aliquot-allocator" and command[-1] == f"--probe={question}"
    assert configuration(objects)["listen"]["monitor"].startswith("127.0.0.1:")


@pytest.mark.parametrize("name, port", [("extender", 8443), ("admission", 8444)])
def test_services_lead_to_the_listeners(objects, name, port):
    service = one(objects, "Service", f"aliquot-{name}")["spec"]
    (entry,) = service["ports"]
    (container,) = pod_of(objects)["containers"]
    (target,) = [each for each in container["ports"] if each["name"] == entry["targetPort"]]
    assert entry["port"] == target["containerPort"] == port
    assert configuration(objects)["listen"][name] == f":{port}"
    labels = one(objects, "Deployment")["spec"]["template"]["metadata"]["labels"]
    assert service["selector"].items() <= labels.items()


def test_files_of_the_configuration_lie_where_secrets_are_mounted(objects):
    mounts = {each["name"]: each["mountPath"] for each in pod_of(objects)["containers"][0]["volumeMounts"]}
    for key, path in configuration(objects)["tls"].items():
        assert str(pathlib.PurePath(path).parent) in mounts.values(), key


def test_a_changed_configuration_makes_a_new_pod(helm):
    def checksum(*settings):
        template = one(helm.render(*settings), "Deployment")["spec"]["template"]
        return template["metadata"]["annotations"]["checksum/config"]
    assert checksum() != checksum("config.limits.maxSharersPerCard=4")
    assert checksum() == checksum("extender.clusterIP=10.96.0.77")


# A configuration in which every section that the values may set is set to something else than its default.
EVERY_SECTION = ("config.http.maxConnections=100", "config.limits.maxSharersPerCard=4",
                 "config.search.stepsPerNode=100", "config.scoring.policy=binpack",
                 "config.deadlines.filter=500ms", "config.stamp.reservation=20s",
                 "config.watch.pageSize=100", "config.gpuManagerAnnotations.gpuAssigned=true",
                 "config.drainTimeout=5s", "config.log.level=debug")


@pytest.mark.parametrize("settings", [(), EVERY_SECTION], ids=["defaults", "every section"])
def test_the_allocator_accepts_its_configuration(helm, settings, tmp_path):
    file = tmp_path / "allocator.yaml"
    file.write_text(one(helm.render(*settings), "ConfigMap")["data"]["allocator.yaml"])
    done = subprocess.run([ROOT / "out" / "bin" / "aliquot-allocator", f"--config={file}", "--validate-config"],
                          text=True, check=False, timeout=30, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout


# ---- values ----

@pytest.mark.parametrize("setting, named", [
    ("nope=1", "nope"), ("image.nope=1", "nope"), ("config.listen.extender=:1", "listen"),
    ("config.log.level=loud", "/config/log/level"), ("admission.timeoutSeconds=31", "/admission/timeoutSeconds"),
    ("image.digest=sha256:short", "/image/digest"), ("config.deadlines.filter=1", "/config/deadlines/filter")])
def test_wrong_values_are_refused_by_name(helm, setting, named):
    assert named in helm.refusal(setting)


def test_a_name_outside_the_prefix_is_refused_with_the_remedy(helm):
    error = helm.refusal("resourceNames.core=example.org/gpu")
    assert 'resourceNames.core "example.org/gpu" does not begin with resourceNames.prefix' in error
    assert "set a prefix of both names" in error


def test_kubernetes_before_1_32_is_refused(helm):
    status, _, error = helm.run("template", "aliquot", str(CHART), "--kube-version=1.31.9")
    assert status != 0 and "kubeVersion" in error


def test_every_value_has_a_comment():
    lines = (CHART / "values.yaml").read_text().splitlines()
    keys = [number for number, line in enumerate(lines) if re.match(r"^(  )?[a-zA-Z]\w*:", line)]
    assert len(keys) > 20
    for number in keys:
        assert lines[number - 1].lstrip().startswith("#"), f"no comment above: {lines[number]}"


def test_values_and_schema_have_the_same_keys():
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    schema = yaml.safe_load((CHART / "values.schema.json").read_text())
    assert set(values) | {"global"} == set(schema["properties"])
    for key, value in values.items():
        nested = schema["properties"][key].get("properties")
        if isinstance(value, dict) and value and nested and key != "config":
            assert set(value) == set(nested), key
    assert values["config"] == {}
