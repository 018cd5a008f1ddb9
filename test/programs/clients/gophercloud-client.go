// Signs in by OS_… as any program with gophercloud does, and prints what it finds as JSON. With
// SUBJECT_TOKEN it looks at that token instead.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/catalog"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/domains"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/projects"
	"github.com/gophercloud/gophercloud/v2/openstack/identity/v3/tokens"
)

func look(ctx context.Context, provider *gophercloud.ProviderClient) (map[string]any, error) {
	region := gophercloud.EndpointOpts{Region: "RegionOne"}
	identity, err := openstack.NewIdentityV3(provider, region)
	if err != nil {
		return nil, err
	}
	if given := os.Getenv("SUBJECT_TOKEN"); given != "" {
		subject := tokens.Get(ctx, identity, given)
		user, err := subject.ExtractUser()
		if err != nil {
			return nil, err
		}
		project, err := subject.ExtractProject()
		if err != nil {
			return nil, err
		}
		return map[string]any{"user": user.Name, "project": project.Name}, nil
	}
	compute, err := openstack.NewComputeV2(provider, region)
	if err != nil {
		return nil, err
	}
	found := map[string]any{"compute": compute.Endpoint}
	page, err := projects.ListAvailable(identity).AllPages(ctx)
	if err != nil {
		return nil, err
	}
	available, err := projects.ExtractProjects(page)
	if err != nil {
		return nil, err
	}
	names := []string{}
	for _, project := range available {
		names = append(names, project.Name)
	}
	found["projects"] = names
	if page, err = domains.ListAvailable(identity).AllPages(ctx); err != nil {
		return nil, err
	}
	accounts, err := domains.ExtractDomains(page)
	if err != nil {
		return nil, err
	}
	names = []string{}
	for _, account := range accounts {
		names = append(names, account.Name)
	}
	found["domains"] = names
	if page, err = catalog.List(identity).AllPages(ctx); err != nil {
		return nil, err
	}
	services, err := catalog.ExtractServiceCatalog(page)
	if err != nil {
		return nil, err
	}
	types := []string{}
	for _, service := range services {
		types = append(types, service.Type)
	}
	found["catalog"] = types
	isValid, err := tokens.Validate(ctx, identity, provider.Token())
	if err != nil {
		return nil, err
	}
	found["valid"] = isValid
	return found, tokens.Revoke(ctx, identity, provider.Token()).Err
}

func main() {
	ctx := context.Background()
	options, err := openstack.AuthOptionsFromEnv()
	var provider *gophercloud.ProviderClient
	if err == nil {
		provider, err = openstack.AuthenticatedClient(ctx, options)
	}
	var found map[string]any
	if err == nil {
		found, err = look(ctx, provider)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = json.NewEncoder(os.Stdout).Encode(found)
}
