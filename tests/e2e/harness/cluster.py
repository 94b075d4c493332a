# SPDX-License-Identifier: Apache-2.0
"""The whole cluster of a test run: control plane, chart's objects, allocator, kube-scheduler."""
import json
import pathlib
import subprocess

import yaml

from . import binaries, chart, pods
from .allocator import Allocator
from .api import ApiError
from .control_plane import ControlPlane
from .scheduler import Scheduler
from .waiting import until

VERIFIER = "verifier"  # who may run aliquotctl verify


def shipped_scheduler_configuration():
    """The KubeSchedulerConfiguration that the repository ships in config/."""
    for path in sorted((chart.ROOT / "config").glob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text()):
            if document and document.get("kind") == "KubeSchedulerConfiguration":
                return document
    raise AssertionError("config/ has no KubeSchedulerConfiguration")


class Cluster:
    """One cluster. Tests use `workspace` objects on it, so that they do not see each other."""

    def __init__(self, folder, minor):
        self.folder = pathlib.Path(folder)
        self.minor = minor
        self.plane = ControlPlane(self.folder, minor)
        self.api = self.plane.api
        self.objects = []
        self.allocator = None
        self.scheduler = None
        self._schedulers = []

    def start(self):
        """Starts everything and returns when GPU pods are admitted and schedulers are healthy."""
        self.plane.start()
        self.start_allocator()
        self.scheduler = self.start_scheduler("kube-scheduler", self.scheduler_configuration())
        return self

    def start_allocator(self, *settings):
        """Applies the chart's objects and starts the allocator as the chart's service account;
        `settings` are more values of the chart."""
        # Fake nodes have no agent: the administrator writes their inventories.
        # Where a test binds by hand as the administrator, he stands for a batch scheduler.
        rendered = chart.render("agent.inventoryWriters={admin}", "agent.verifiers[0].kind=User",
                                f"agent.verifiers[0].name={VERIFIER}",
                                "guards.schedulers={system:kube-scheduler,admin}", *settings)
        deployments = chart.of_kind(rendered, "Deployment")
        deployment = next(each for each in deployments
                          if each["metadata"]["name"] == "aliquot-allocator")
        account = deployment["spec"]["template"]["spec"]["serviceAccountName"]
        first = [each for each in rendered if "webhooks" not in each]
        if not chart.of_kind(first, "Namespace"):
            first.insert(0, {"apiVersion": "v1", "kind": "Namespace",
                             "metadata": {"name": chart.NAMESPACE}})
        chart.apply(self.api, first)
        # They are accepted as they are; their pods would be a second allocator, a second scheduler.
        for each in deployments:
            self.api.patch(chart.path_of(each, each["metadata"]["name"]),
                           {"spec": {"replicas": 0}})
        shipped = next(each["data"]["allocator.yaml"] for each in chart.of_kind(
            rendered, "ConfigMap") if "allocator.yaml" in each["data"])
        self.allocator = Allocator(self.plane, account, yaml.safe_load(shipped)).start()
        self.objects = chart.point_webhooks_at(rendered, self.allocator.addresses["admission"],
                                               self.plane.authority.certificate)
        chart.apply(self.api, [each for each in self.objects if "webhooks" in each])
        self.wait_for_admission()

    def apply_guards(self, *settings):
        """Applies webhooks and policies anew, as an upgrade to these values of the chart does."""
        self.objects = chart.point_webhooks_at(
            chart.render(*settings), self.allocator.addresses["admission"],
            self.plane.authority.certificate)
        chart.apply(self.api, [each for each in self.objects
                               if each["apiVersion"].startswith("admissionreg")])

    def wait_for_admission(self):
        """Returns when the API server sends GPU pods to the mutating webhook."""
        probe = pods.share("probe")

        def mutated():
            try:
                answer = self.api.post("/api/v1/namespaces/default/pods", probe, dryRun="All")
            except ApiError as error:
                raise AssertionError(str(error)) from error
            return (answer["metadata"].get("labels") or {}).get(pods.GPU_LABEL) == "true"

        self.ensure_service_account("default")
        until("GPU pods to pass through the webhook", mutated, timeout=20)

    def ensure_service_account(self, namespace):
        """Makes the namespace's default service account instead of waiting for the controller."""
        try:
            self.api.post(f"/api/v1/namespaces/{namespace}/serviceaccounts",
                          {"apiVersion": "v1", "kind": "ServiceAccount",
                           "metadata": {"name": "default"}})
        except ApiError as error:
            if error.code != 409:
                raise

    def scheduler_configuration(self):
        """The shipped configuration with addresses and certificates of this cluster."""
        configuration = shipped_scheduler_configuration()
        certificate, key = self.plane.client_certificate("scheduler")
        for extender in configuration["extenders"]:
            path = extender["urlPrefix"].split("://", 1)[1].split("/", 1)[1]
            extender["urlPrefix"] = f"https://{self.allocator.addresses['extender']}/{path}"
            # The server's name stays as shipped: its certificate must hold it.
            extender["tlsConfig"] = {**extender["tlsConfig"],
                                     "caFile": str(self.plane.authority.certificate),
                                     "certFile": str(certificate), "keyFile": str(key)}
        return configuration

    def start_scheduler(self, name, configuration):
        """Starts one more kube-scheduler."""
        scheduler = Scheduler(self.plane, name, configuration)
        self._schedulers.append(scheduler)
        return scheduler.start()

    def kubectl(self, *arguments, stdin=None, user="admin"):
        """Runs kubectl and returns (exit status, standard output, standard error)."""
        done = subprocess.run(
            [str(binaries.program("kubectl")), f"--kubeconfig={self.plane.kubeconfig(user)}",
             f"--cache-dir={self.folder}/kubectl-cache", *arguments], text=True, check=False,
            input=None if stdin is None else json.dumps(stdin),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        return done.returncode, done.stdout, done.stderr

    def webhook_configuration(self):
        """The chart's MutatingWebhookConfiguration as applied."""
        return chart.of_kind(self.objects, "MutatingWebhookConfiguration")[0]

    def bring_back_apiserver(self):
        """Starts the API server again, and anew those of Kubernetes' own clients that wait long.

        Their watches would come back only after another half a minute of back-off. The allocator is
        not among them: that it recovers by itself is what tests are about.
        """
        self.plane.start_apiserver()
        self.plane.controllers.kill()
        self.plane.controllers.start()
        for scheduler in self._schedulers:
            scheduler.process.kill()
            scheduler.start()

    def restore(self):
        """Brings back what a test took away: API server, allocator, webhooks, policies."""
        if not self.plane.apiserver.running():
            self.bring_back_apiserver()
        if not self.allocator.process.running() or self.allocator.server != self.plane.server:
            self.allocator.process.stop()
            self.allocator.start()
        guards = [each for each in self.objects if each["apiVersion"].startswith("admissionreg")]
        if any(self.api.exists(chart.path_of(each, each["metadata"]["name"])) is None
               for each in guards):
            chart.apply(self.api, guards)
            self.wait_for_admission()

    def processes(self):
        """Every program of the cluster."""
        found = self.plane.processes() + [each.process for each in self._schedulers]
        if self.allocator and self.allocator.process:
            found.append(self.allocator.process)
        return found

    def stop(self):
        """Ends everything."""
        for process in reversed(self.processes()):
            process.kill()
