// SPDX-License-Identifier: Apache-2.0

// cert-manager's three programs as one, for the end-to-end tests:
//
//	cert-manager controller|cainjector|webhook --kubeconfig=FILE [...]
//
// cert-manager's own main packages are modules that no module proxy serves. What they start is in its main
// module, and is started here in the same way with the same defaults, without leader election, probes and metrics.
// Of its controllers those run that our chart needs: issuers that sign themselves or by a Secret, and Certificates.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	corev1 "k8s.io/api/core/v1"
	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apireg "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"

	cmwebhook "github.com/cert-manager/cert-manager/internal/webhook"
	cmscheme "github.com/cert-manager/cert-manager/pkg/client/clientset/versioned/scheme"
	"github.com/cert-manager/cert-manager/pkg/controller"
	"github.com/cert-manager/cert-manager/pkg/controller/cainjector"
	"github.com/cert-manager/cert-manager/pkg/util"
	"github.com/cert-manager/cert-manager/pkg/webhook/options"

	// Each of these registers itself.
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/approver"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/ca"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/selfsigned"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/issuing"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/keymanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/readiness"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/requestmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/revisionmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/trigger"
	_ "github.com/cert-manager/cert-manager/pkg/controller/issuers"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/ca"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/selfsigned"
)

func runController(ctx context.Context, kubeconfig string) error {
	factory, err := controller.NewContextFactory(ctx, controller.ContextOptions{
		Kubeconfig:    kubeconfig,
		IssuerOptions: controller.IssuerOptions{ClusterResourceNamespace: "kube-system"},
		CertificateOptions: controller.CertificateOptions{
			CertificateRequestMinimumBackoffDuration: time.Hour,
			CertificateRequestMaximumBackoffDuration: 32 * time.Hour,
		},
	})
	if err != nil {
		return err
	}
	shared, err := factory.Build()
	if err != nil {
		return err
	}
	running, ctx := errgroup.WithContext(ctx)
	for name, construct := range controller.Known() {
		one, err := construct(factory)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		running.Go(func() error { return one.Run(5, ctx) })
	}
	shared.SharedInformerFactory.Start(ctx.Done())
	shared.KubeSharedInformerFactory.Start(ctx.Done())
	return running.Wait()
}

func runInjector(ctx context.Context, kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	known := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		scheme.AddToScheme, cmscheme.AddToScheme, apiext.AddToScheme, apireg.AddToScheme} {
		if err := add(known); err != nil {
			return err
		}
	}
	manager, err := ctrl.NewManager(util.RestConfigWithUserAgent(config, "cainjector"), ctrl.Options{
		Scheme:  known,
		Metrics: metricsserver.Options{BindAddress: "0"},
		// It watches what is said about Secrets, and reads one when it needs it.
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}}}},
	})
	if err != nil {
		return err
	}
	err = cainjector.RegisterAllInjectors(ctx, manager, cainjector.SetupOptions{
		EnableCertificatesDataSource: true,
		EnabledReconcilersFor: map[string]bool{
			cainjector.MutatingWebhookConfigurationName:   true,
			cainjector.ValidatingWebhookConfigurationName: true,
			cainjector.APIServiceName:                     true,
			cainjector.CustomResourceDefinitionName:       true,
		},
	})
	if err != nil {
		return err
	}
	return manager.Start(ctx)
}

// runWebhook takes the flags of cert-manager's own program.
func runWebhook(ctx context.Context, arguments []string) error {
	config, err := options.NewWebhookConfiguration()
	if err != nil {
		return err
	}
	flags := pflag.NewFlagSet("webhook", pflag.ContinueOnError)
	options.AddConfigFlags(flags, config)
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	server, err := cmwebhook.NewCertManagerWebhookServer(klog.TODO(), *config)
	if err != nil {
		return err
	}
	return server.Run(ctx)
}

func run(ctx context.Context, arguments []string) error {
	if len(arguments) == 0 {
		return fmt.Errorf("usage: cert-manager controller|cainjector|webhook --kubeconfig=FILE")
	}
	name, rest := arguments[0], arguments[1:]
	if name == "webhook" {
		return runWebhook(ctx, rest)
	}
	flags := pflag.NewFlagSet(name, pflag.ContinueOnError)
	kubeconfig := flags.String("kubeconfig", "", "how to reach the API server")
	if err := flags.Parse(rest); err != nil {
		return err
	}
	switch name {
	case "controller":
		return runController(ctx, *kubeconfig)
	case "cainjector":
		return runInjector(ctx, *kubeconfig)
	}
	return fmt.Errorf("there is no program %q; choose controller, cainjector or webhook", name)
}

func main() {
	ctrl.SetLogger(klog.TODO())
	if err := run(ctrl.SetupSignalHandler(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "cert-manager:", err)
		os.Exit(1)
	}
}
