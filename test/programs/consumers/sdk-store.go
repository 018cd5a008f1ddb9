// A store's provider on Terraform's SDKv2, as most are written: one function creates and updates,
// and returns an error if the store does not take the value. Terraform then saves what was planned.
package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/hashicorp/go-cty/cty"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/hashicorp/terraform-plugin-sdk/v2/plugin"
)

func send(method string, url any, name string, value string) error {
	request, err := http.NewRequest(method, fmt.Sprintf("%s/%s", url, name), strings.NewReader(value))
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != 200 {
		return fmt.Errorf("the store answered %d", answer.StatusCode)
	}
	return nil
}

func write(_ context.Context, d *schema.ResourceData, url any) diag.Diagnostics {
	name := d.Get("name").(string)
	d.SetId(name)
	if !d.HasChanges("value_wo_version", "value") {
		return nil
	}
	value := d.Get("value").(string)
	if pushed, _ := d.GetRawConfigAt(cty.GetAttrPath("value_wo")); pushed.IsKnown() && !pushed.IsNull() {
		value = pushed.AsString()
	}
	return diag.FromErr(send("PUT", url, name, value))
}

// The value is never read back.
func read(context.Context, *schema.ResourceData, any) diag.Diagnostics { return nil }

func remove(_ context.Context, d *schema.ResourceData, url any) diag.Diagnostics {
	return diag.FromErr(send("DELETE", url, d.Id(), ""))
}

func main() {
	text := schema.Schema{Type: schema.TypeString, Required: true}
	secret := schema.Schema{Type: schema.TypeString, Optional: true, Sensitive: true}
	pushed := secret
	pushed.WriteOnly = true
	provider := &schema.Provider{
		Schema: map[string]*schema.Schema{"url": &text},
		ConfigureContextFunc: func(_ context.Context, d *schema.ResourceData) (any, diag.Diagnostics) {
			return d.Get("url"), nil
		},
		ResourcesMap: map[string]*schema.Resource{"sdk_secret": {
			CreateContext: write, UpdateContext: write, ReadContext: read, DeleteContext: remove,
			Schema: map[string]*schema.Schema{
				"name": &text, "value": &secret, "value_wo": &pushed,
				"value_wo_version": {Type: schema.TypeInt, Optional: true},
			},
		}},
	}
	plugin.Serve(&plugin.ServeOpts{ProviderFunc: func() *schema.Provider { return provider }})
}
