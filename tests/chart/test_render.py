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
    rbac = [("ClusterRole", "aliquot-agent"), ("ClusterRole", "aliquot-agent-reader"), ("ClusterRole", "aliquot-allocator"),
            ("ClusterRole", "aliquot-allocator-reader"),
            ("ClusterRole", "aliquot-verify"), ("ClusterRole", "aliquot-viewer"), ("ClusterRoleBinding", "aliquot-agent"),
            ("ClusterRoleBinding", "aliquot-allocator"), ("ClusterRoleBinding", "aliquot-kube-scheduler"),
            ("ClusterRoleBinding", "aliquot-verify"), ("ClusterRoleBinding", "aliquot-volume-scheduler"),
            ("Role", "aliquot-allocator"), ("Role", "aliquot-scheduler"), ("Role", "aliquot-verify"),
            ("RoleBinding", "aliquot-allocator"), ("RoleBinding", "aliquot-scheduler"),
            ("RoleBinding", "aliquot-scheduler-authentication"),
            *(("ServiceAccount", f"aliquot-{name}") for name in ("agent", "allocator", "scheduler", "verify"))]
    policies = ("aliquot-agent-event", "aliquot-agent-node", "aliquot-binding-record", "aliquot-gpu-inventory", "aliquot-gpu-uuid",
                "aliquot-isolation", "aliquot-pod-record")
    expected = rbac + [
        ("ConfigMap", "aliquot-agent"), ("ConfigMap", "aliquot-allocator"), ("ConfigMap", "aliquot-signing-keys"),
        ("DaemonSet", "aliquot-agent"), ("Deployment", "aliquot-allocator"), ("Deployment", "aliquot-scheduler"),
        ("Lease", "aliquot-scheduler"),
        ("MutatingWebhookConfiguration", "aliquot"), ("PodDisruptionBudget", "aliquot-allocator"),
        *(("NetworkPolicy", f"aliquot-{name}") for name in ("agent", "allocator", "scheduler")),
        *(("Secret", f"aliquot-{name}") for name in ("ca", "scheduler-client", "signing")),
        ("Service", "aliquot-admission"), ("Service", "aliquot-extender"),
        *((kind, name) for kind in ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding") for name in policies)]
    assert sorted((each["kind"], each["metadata"]["name"]) for each in objects
                  if "helm.sh/hook" not in each["metadata"].get("annotations", {})) == sorted(expected)


def test_every_namespaced_object_names_its_namespace(objects):
    cluster_scoped = {"ClusterRole", "ClusterRoleBinding", "MutatingWebhookConfiguration",
                      "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"}
    for each in objects:
        expected = None if each["kind"] in cluster_scoped else NAMESPACE
        if each["metadata"]["name"] == "aliquot-scheduler-authentication":
            expected = "kube-system"  # where Kubernetes keeps what it is about
        assert each["metadata"].get("namespace") == expected, each["kind"]


# ---- rights: the rest of them is in test_rights.py ----

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
    objects = helm.render("certificates.mode=given", "certificates.given.caBundle=QUJD")
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
    return one(objects, "Deployment", "aliquot-allocator")["spec"]["template"]["spec"]


def configuration(objects):
    """The configuration file that the allocator is given."""
    return yaml.safe_load(one(objects, "ConfigMap", "aliquot-allocator")["data"]["allocator.yaml"])


def test_two_allocators_never_run_at_one_time(objects):
    spec = one(objects, "Deployment", "aliquot-allocator")["spec"]
    assert spec["replicas"] == 1
    assert spec["strategy"] == {"type": "Recreate"}


@pytest.mark.parametrize("name", ["aliquot-allocator", "aliquot-scheduler"])
def test_the_pod_meets_the_restricted_security_standard(objects, name):
    pod = one(objects, "Deployment", name)["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert not {"hostNetwork", "hostPID", "hostIPC"} & set(pod)
    assert {"configMap", "secret", "emptyDir"} >= {key for volume in pod["volumes"] for key in volume if key != "name"}
    for container in pod.get("initContainers", []) + pod["containers"]:
        assert container["securityContext"] == {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                                                "capabilities": {"drop": ["ALL"]}}


def test_the_agent_has_these_rights_on_its_node_and_no_more(helm, objects):
    pod = one(objects, "DaemonSet")["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["hostPID"] is True and not {"hostNetwork", "hostIPC"} & set(pod)
    security = container["securityContext"]
    assert security["capabilities"] == {
        "drop": ["ALL"], "add": ["MKNOD", "CHOWN", "FOWNER", "DAC_OVERRIDE", "SYS_PTRACE"]}
    # What NVML opens is in the way of the kernel's device rules; test_modes.py opens it in an installed agent.
    assert security["privileged"] is True and "allowPrivilegeEscalation" not in security
    assert security["readOnlyRootFilesystem"] is True and security["seccompProfile"] == {"type": "RuntimeDefault"}
    killing = one(helm.render("agent.config.enforcement.onOvershoot=kill"), "DaemonSet")
    assert killing["spec"]["template"]["spec"]["containers"][0]["securityContext"]["capabilities"]["add"][-1] == "KILL"


def test_an_upgrade_that_keeps_older_values_lets_the_agent_open_the_cards(helm):
    # helm upgrade --reuse-values: defaults that are new are not there.
    (container,) = one(helm.render("agent.cardAccess=null"), "DaemonSet")["spec"]["template"]["spec"]["containers"]
    assert container["securityContext"]["privileged"] is True


@pytest.mark.parametrize("setting, variables", [
    ("agent.cardAccess=runtime", {"NVIDIA_VISIBLE_DEVICES": "all", "NVIDIA_DRIVER_CAPABILITIES": "utility"}),
    ("agent.config.gpu.backend=simulated", {"NVIDIA_VISIBLE_DEVICES": "void"}),
    ("agent.config.gpu.backend=none", {"NVIDIA_VISIBLE_DEVICES": "void"})])
def test_an_agent_that_gets_its_cards_otherwise_or_has_none_is_not_privileged(helm, setting, variables):
    (container,) = one(helm.render(setting), "DaemonSet")["spec"]["template"]["spec"]["containers"]
    assert "privileged" not in container["securityContext"]
    assert container["securityContext"]["allowPrivilegeEscalation"] is False
    given = {each["name"]: each.get("value") for each in container["env"] if each["name"].startswith("NVIDIA")}
    assert given == variables


def test_the_agent_sees_the_node_at_the_paths_of_its_configuration(helm):
    objects = helm.render("agent.stateDirectory=/run/state", "agent.kubeletDirectory=/data/kubelet", "agent.driverRoot=/run/driver")
    pod = one(objects, "DaemonSet")["spec"]["template"]["spec"]
    told = yaml.safe_load(one(objects, "ConfigMap", "aliquot-agent")["data"]["agent.yaml"])
    mounted = {each["mountPath"]: each["name"] for each in pod["containers"][0]["volumeMounts"]}
    on_node = {each["name"]: each["hostPath"]["path"] for each in pod["volumes"] if "hostPath" in each}
    # Containers mount what lies there, so inside and outside are one path.
    for path in (told["grant"]["stateDirectory"], told["grant"]["dataDirectory"], told["grant"]["cdiDirectory"],
                 told["kubelet"]["pluginDirectory"], str(pathlib.PurePath(told["kubelet"]["podResourcesSocket"]).parent)):
        assert on_node[mounted[path]] == path
    assert on_node[mounted[told["gpu"]["driverRoot"]]] == "/run/driver"
    assert on_node[mounted[told["gpu"]["deviceRoot"]]] == "/dev"
    assert told["signing"]["publicKeys"] in mounted


def test_secrets_are_mounted_whole_so_that_new_certificates_arrive(helm):
    objects = helm.render("certificates.mode=given", "certificates.given.caBundle=QUJD", "signing.mode=given")
    for mount in pod_of(objects)["containers"][0]["volumeMounts"]:
        assert "subPath" not in mount and mount["readOnly"] is True


def cert_manager(helm, *settings):
    """The chart where cert-manager makes the certificates."""
    return helm.render("certificates.mode=certManager", *settings, apis=["cert-manager.io/v1"])


def test_with_cert_manager_nobody_takes_an_authority_of_another_mode(helm):
    objects = cert_manager(helm)
    made = {each["spec"]["secretName"] for each in objects if each["kind"] == "Certificate"}
    before = {each["metadata"]["name"] for each in helm.render() if each["kind"] == "Secret"}
    # helm deletes the Secrets of before after it has made the pods: what lies in those is of the wrong authority.
    (client,) = [each for each in one(objects, "Deployment", "aliquot-scheduler")["spec"]["template"]["spec"]["volumes"]
                 if each["name"] == "client"]
    authorities = [source["secret"]["name"] for source in client["projected"]["sources"]
                   if {"key": "ca.crt", "path": "ca.crt"} in source["secret"]["items"]]
    authorities += [each["secret"]["secretName"] for each in pod_of(objects)["volumes"] if each["name"] == "client-ca"]
    authorities += [each["spec"]["ca"]["secretName"] for each in objects if each["kind"] == "Issuer" and "ca" in each["spec"]]
    assert len(authorities) == 3 and set(authorities) <= made - before


def test_with_cert_manager_a_renewed_authority_has_the_key_of_before(helm):
    certificates = {each["metadata"]["name"]: each["spec"] for each in cert_manager(helm) if each["kind"] == "Certificate"}
    policies = {name: each["privateKey"]["rotationPolicy"] for name, each in certificates.items()}
    assert policies.pop("aliquot-ca") == "Never" and set(policies.values()) == {"Always"}


@pytest.mark.parametrize("mode, as_long", [("bundled", False), ("stock", True)])
def test_a_client_certificate_that_nobody_renews_lives_as_long_as_the_authority(helm, mode, as_long):
    certificates = {each["metadata"]["name"]: each["spec"]["duration"]
                    for each in cert_manager(helm, f"scheduler.mode={mode}") if each["kind"] == "Certificate"}
    assert (certificates["aliquot-scheduler-client"] == certificates["aliquot-ca"]) is as_long


def test_what_the_allocator_makes_lies_in_memory(objects):
    (made,) = [each for each in pod_of(objects)["volumes"] if "emptyDir" in each]
    assert made["emptyDir"]["medium"] == "Memory"
    mounts = {each["name"]: each["mountPath"] for each in pod_of(objects)["containers"][0]["volumeMounts"]}
    assert mounts[made["name"]] == "/run/aliquot/tls"


def test_made_objects_hold_no_data_so_that_an_upgrade_leaves_it_alone(objects):
    for kind, name in (("Secret", "aliquot-ca"), ("Secret", "aliquot-scheduler-client"), ("Secret", "aliquot-signing"),
                       ("ConfigMap", "aliquot-signing-keys")):
        assert not {"data", "stringData", "immutable"} & set(one(objects, kind, name))


def test_probes_ask_from_inside_because_the_monitor_listens_on_loopback(objects):
    (container,) = pod_of(objects)["containers"]
    for probe, question in (("startupProbe", "live"), ("readinessProbe", "ready"), ("livenessProbe", "live")):
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
    labels = one(objects, "Deployment", "aliquot-allocator")["spec"]["template"]["metadata"]["labels"]
    assert service["selector"].items() <= labels.items()


def test_files_of_the_configuration_lie_where_secrets_are_mounted(helm):
    objects = helm.render("certificates.mode=given", "certificates.given.caBundle=QUJD")
    mounts = {each["name"]: each["mountPath"] for each in pod_of(objects)["containers"][0]["volumeMounts"]}
    for key, path in configuration(objects)["tls"].items():
        assert str(pathlib.PurePath(path).parent) in mounts.values(), key


def test_a_changed_configuration_makes_a_new_pod(helm):
    def checksum(*settings):
        template = one(helm.render(*settings), "Deployment", "aliquot-allocator")["spec"]["template"]
        return template["metadata"]["annotations"]["checksum/config"]
    assert checksum() != checksum("allocator.config.limits.maxSharersPerCard=4")
    assert checksum() == checksum("extender.clusterIP=10.96.0.77")


# A configuration in which every section that the values may set is set to something else than its default.
EVERY_SECTION = ("allocator.config.http.maxConnections=100", "allocator.config.limits.maxSharersPerCard=4",
                 "allocator.config.search.stepsPerNode=100", "allocator.config.scoring.policy=binpack",
                 "allocator.config.deadlines.filter=500ms", "allocator.config.stamp.reservation=20s",
                 "allocator.config.watch.pageSize=100", "allocator.config.gpuManagerAnnotations.gpuAssigned=true",
                 "allocator.config.drainTimeout=5s", "allocator.config.log.level=debug")


@pytest.mark.parametrize("settings", [(), EVERY_SECTION], ids=["defaults", "every section"])
def test_the_allocator_accepts_its_configuration(helm, settings, tmp_path):
    file = tmp_path / "allocator.yaml"
    file.write_text(one(helm.render(*settings), "ConfigMap", "aliquot-allocator")["data"]["allocator.yaml"])
    done = subprocess.run([ROOT / "out" / "bin" / "aliquot-allocator", f"--config={file}", "--validate-config"],
                          text=True, check=False, timeout=30, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout


# ---- values ----

@pytest.mark.parametrize("setting, named", [
    ("nope=1", "nope"), ("allocator.image.nope=1", "nope"), ("allocator.config.listen.extender=:1", "listen"),
    ("allocator.config.log.level=loud", "/allocator/config/log/level"), ("admission.timeoutSeconds=31", "/admission/timeoutSeconds"),
    ("allocator.image.digest=sha256:short", "/allocator/image/digest"), ("allocator.config.deadlines.filter=1", "/allocator/config/deadlines/filter")])
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


def keys_of(values, schema, at):
    """Compares the keys of values with those of their schema, at every depth that the schema knows."""
    known = schema.get("properties")
    if not isinstance(values, dict) or not values or not known:
        return
    assert set(values) == set(known), at
    for key, value in values.items():
        keys_of(value, known[key], f"{at}.{key}")


def test_values_and_schema_have_the_same_keys():
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    schema = yaml.safe_load((CHART / "values.schema.json").read_text())
    del schema["properties"]["global"]
    keys_of(values, schema, "values")


# ---- what is refused with a sentence ----

@pytest.mark.parametrize("settings, sentence", [
    (("certificates.mode=certManager",), "has no cert-manager.io/v1; install cert-manager first, or set certificates.mode"),
    (("certificates.mode=given",), "certificates.given.caBundle is empty"),
    (("monitoring.serviceMonitor.enabled=true",), "monitoring.serviceMonitor.enabled is true but the cluster has no"),
    (("monitoring.rules.enabled=true",), "monitoring.rules.enabled is true but the cluster has no"),
    (("resourceNames.memory=tencent.com/vcuda-core",), "give them different names")])
def test_what_contradicts_itself_or_the_cluster_is_refused(helm, settings, sentence):
    assert sentence in helm.refusal(*settings)


@pytest.mark.parametrize("namespace", ["default", "kube-system"])
def test_a_namespace_that_the_webhooks_would_not_see_is_refused(helm, namespace):
    status, _, error = helm.run("template", "aliquot", str(CHART), f"--namespace={namespace}")
    assert status != 0 and "install into a namespace of its own" in error


# ---- who places pods ----

def test_the_bundled_scheduler_is_of_the_clusters_version(helm):
    status, text, error = helm.run("template", "aliquot", str(CHART), f"--namespace={NAMESPACE}", "--kube-version=v1.36.3-eks-1a2b3c")
    assert status == 0, error
    deployment = one([each for each in yaml.safe_load_all(text) if each], "Deployment", "aliquot-scheduler")
    assert deployment["spec"]["template"]["spec"]["containers"][0]["image"] == "registry.k8s.io/kube-scheduler:v1.36.3"


def test_stock_mode_brings_no_scheduler_and_names_none(helm, objects):
    stock = helm.render("scheduler.mode=stock")
    assert not [each for each in stock if "scheduler" in each["metadata"]["name"] and each["kind"] != "Secret"]
    assert "schedulerName" not in configuration(stock)["admission"]
    assert configuration(objects)["admission"] == {
        "schedulerName": "aliquot",
        "schedulerUsers": ["system:kube-scheduler", f"system:serviceaccount:{NAMESPACE}:aliquot-scheduler"]}


@pytest.mark.parametrize("settings", [(), ("agent.config.gpu.healthyAfter=5s", "agent.config.metrics.gpuManagerPages=true")])
def test_the_agent_accepts_its_configuration(helm, settings, tmp_path):
    file = tmp_path / "agent.yaml"
    file.write_text(one(helm.render(*settings), "ConfigMap", "aliquot-agent")["data"]["agent.yaml"])
    done = subprocess.run([ROOT / "out" / "bin" / "aliquot-agent", f"--config={file}", "--node-name=n", "--validate-config"],
                          text=True, check=False, timeout=30, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("settings", [
    ("scheduler.mode=stock",), ("signing.mode=off", "agent.enforcement=false"), ("agent.enabled=false", "networkPolicy.enabled=false"),
    ("certificates.mode=given", "certificates.given.caBundle=QUJD", "signing.mode=given")])
def test_every_mode_renders_and_the_allocator_accepts_it(helm, settings, tmp_path):
    file = tmp_path / "allocator.yaml"
    file.write_text(one(helm.render(*settings), "ConfigMap", "aliquot-allocator")["data"]["allocator.yaml"])
    done = subprocess.run([ROOT / "out" / "bin" / "aliquot-allocator", f"--config={file}", "--validate-config"],
                          text=True, check=False, timeout=30, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout
