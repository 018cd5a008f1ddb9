// Creates a container as the OpenStack provider does: it signs in by that provider's own library,
// with what its provider block has.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/objectstorage/v1/containers"
	"github.com/terraform-provider-openstack/utils/v2/auth"
	"github.com/terraform-provider-openstack/utils/v2/mutexkv"
)

type block struct {
	AuthURL           string `json:"auth_url"`
	Token             string `json:"token"`
	TenantName        string `json:"tenant_name"`
	ProjectDomainName string `json:"project_domain_name"`
	Region            string `json:"region"`
	// As text, like all others; true if it is not set.
	AllowReauth string `json:"allow_reauth"`
}

// The defaults of a block, by the provider's schema.
func configOf(given block) auth.Config {
	return auth.Config{
		IdentityEndpoint:  given.AuthURL,
		Token:             given.Token,
		TenantName:        given.TenantName,
		ProjectDomainName: given.ProjectDomainName,
		Region:            given.Region,
		UseOctavia:        true,
		DelayedAuth:       true,
		AllowReauth:       given.AllowReauth != "false",
		AuthOpts:          &gophercloud.AuthOptions{Scope: &gophercloud.AuthScope{}},
		MutexKV:           mutexkv.NewMutexKV(),
	}
}

func create(ctx context.Context, given block, name string) error {
	config := configOf(given)
	if err := config.LoadAndValidate(ctx); err != nil {
		return err
	}
	client, err := config.ObjectStorageV1Client(ctx, given.Region)
	if err != nil {
		return err
	}
	return containers.Create(ctx, client, name, containers.CreateOpts{}).Err
}

// The block comes on standard input, because it holds a token.
func main() {
	var given block
	err := json.NewDecoder(os.Stdin).Decode(&given)
	if err == nil {
		err = create(context.Background(), given, os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
