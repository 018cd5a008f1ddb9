// The same store's provider on terraform-plugin-framework: an update that fails leaves the state as
// it was. It can also read what the store holds.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	data "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	opened "github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	block "github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// The address of the store: a process serves one provider block.
var url string

func send(method string, name string, value string) (string, error) {
	request, err := http.NewRequest(method, url+"/"+name, strings.NewReader(value))
	if err != nil {
		return "", err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != 200 {
		err = fmt.Errorf("the store answered %d", answer.StatusCode)
	}
	return string(body), err
}

type store struct{}

func (store) Metadata(_ context.Context, _ provider.MetadataRequest, to *provider.MetadataResponse) {
	to.TypeName = "framework"
}
func (store) Schema(_ context.Context, _ provider.SchemaRequest, to *provider.SchemaResponse) {
	to.Schema.Attributes = map[string]block.Attribute{"url": block.StringAttribute{Required: true}}
}
func (store) Configure(ctx context.Context, from provider.ConfigureRequest, to *provider.ConfigureResponse) {
	to.Diagnostics.Append(from.Config.GetAttribute(ctx, path.Root("url"), &url)...)
}
func (store) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return secret{} }}
}
func (store) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{func() datasource.DataSource { return names{} }}
}
func (store) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{func() ephemeral.EphemeralResource { return held{} }}
}

type secret struct{}

func (secret) Metadata(_ context.Context, _ resource.MetadataRequest, to *resource.MetadataResponse) {
	to.TypeName = "framework_secret"
}
func (secret) Schema(_ context.Context, _ resource.SchemaRequest, to *resource.SchemaResponse) {
	to.Schema.Attributes = map[string]schema.Attribute{
		"name":             schema.StringAttribute{Required: true},
		"value_wo":         schema.StringAttribute{Required: true, WriteOnly: true, Sensitive: true},
		"value_wo_version": schema.Int64Attribute{Required: true},
	}
}
func (secret) Create(ctx context.Context, from resource.CreateRequest, to *resource.CreateResponse) {
	var name, value string
	to.Diagnostics.Append(from.Config.GetAttribute(ctx, path.Root("name"), &name)...)
	to.Diagnostics.Append(from.Config.GetAttribute(ctx, path.Root("value_wo"), &value)...)
	if _, err := send("PUT", name, value); err != nil {
		to.Diagnostics.AddError(err.Error(), "")
		return
	}
	to.State.Raw = from.Plan.Raw
}
func (secret) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}
func (s secret) Update(ctx context.Context, from resource.UpdateRequest, to *resource.UpdateResponse) {
	made := resource.CreateResponse{State: to.State}
	s.Create(ctx, resource.CreateRequest{Config: from.Config, Plan: from.Plan}, &made)
	to.State, to.Diagnostics = made.State, made.Diagnostics
}
func (secret) Delete(ctx context.Context, from resource.DeleteRequest, to *resource.DeleteResponse) {
	var name string
	to.Diagnostics.Append(from.State.GetAttribute(ctx, path.Root("name"), &name)...)
	if _, err := send("DELETE", name, ""); err != nil {
		to.Diagnostics.AddError(err.Error(), "")
	}
}

// The names of the secrets: an ephemeral block of one that is not there fails.
type names struct{}

func (names) Metadata(_ context.Context, _ datasource.MetadataRequest, to *datasource.MetadataResponse) {
	to.TypeName = "framework_names"
}
func (names) Schema(_ context.Context, _ datasource.SchemaRequest, to *datasource.SchemaResponse) {
	to.Schema.Attributes = map[string]data.Attribute{
		"names": data.ListAttribute{Computed: true, ElementType: types.StringType},
	}
}
func (names) Read(ctx context.Context, _ datasource.ReadRequest, to *datasource.ReadResponse) {
	all, err := send("GET", "", "")
	if err != nil {
		to.Diagnostics.AddError(err.Error(), "")
	}
	to.Diagnostics.Append(to.State.SetAttribute(ctx, path.Root("names"), strings.Fields(all))...)
}

type held struct{}

func (held) Metadata(_ context.Context, _ ephemeral.MetadataRequest, to *ephemeral.MetadataResponse) {
	to.TypeName = "framework_secret"
}
func (held) Schema(_ context.Context, _ ephemeral.SchemaRequest, to *ephemeral.SchemaResponse) {
	to.Schema.Attributes = map[string]opened.Attribute{
		"name":  opened.StringAttribute{Required: true},
		"value": opened.StringAttribute{Computed: true, Sensitive: true},
	}
}
func (held) Open(ctx context.Context, from ephemeral.OpenRequest, to *ephemeral.OpenResponse) {
	var name string
	to.Diagnostics.Append(from.Config.GetAttribute(ctx, path.Root("name"), &name)...)
	value, err := send("GET", name, "")
	if err != nil {
		to.Diagnostics.AddError(err.Error(), "")
	}
	to.Result.Raw = from.Config.Raw
	to.Diagnostics.Append(to.Result.SetAttribute(ctx, path.Root("value"), value)...)
}

func main() {
	address := providerserver.ServeOpts{Address: "npm.invalid/consumers/framework"}
	serve := func() provider.Provider { return store{} }
	if err := providerserver.Serve(context.Background(), serve, address); err != nil {
		panic(err)
	}
}
