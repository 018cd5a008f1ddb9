import { DataResource, dependable } from "cdktf";
import { SecretRef, StaticTokenRef, TokenScope } from "../../lib";
import { callProduct } from "./product";
import { identityIn, scenarios, webToken } from "./world";

// docs/guard-rails.md: a variable at plan, a resource's attribute at apply.
scenarios(
  "an address of which only apply knows that it",
  (stage) => {
    /**
     * Consumers of a token of each kind, at addresses that are made of a resource's attribute:
     * known only when that is applied.
     */
    const withLateAddress = (baseUrl: string) =>
      stage().initialized((stack) => {
        const { url } = stage().api;
        const place = new DataResource(stack, "place", { input: { url } as never });
        const destinations = [`\${${place.fqn}.output.url}/any`];
        const identity = identityIn(stack, stage(), { baseUrl });
        const scope = TokenScope.account();
        const source = SecretRef.env("STATIC_TOKEN");
        for (const [name, { headers }] of Object.entries({
          account: webToken(stack, stage(), { identity, scope, destinations }),
          dns: new StaticTokenRef(stack, "dns", { source, baseUrl, destinations }),
        })) {
          const call = callProduct(stack, `/${name}`, { url, headers }, `status-${name}`);
          call.dependsOn = [dependable(place)];
        }
      });

    test("falls under the base address: the token is unknown at plan, and reaches its consumer at apply", async () => {
      const folder = await withLateAddress(stage().api.url);
      await stage().succeed(folder, "plan");
      expect(stage().calls()).toEqual([]);
      expect(stage().requests()).toBe(0);
      await stage().succeed(folder, "apply -auto-approve");
      expect([...stage().calls()].sort()).toEqual(["/account account 200", "/dns static 200"]);
      expect((await stage().succeed(folder, "plan")).text).toContain("No changes");
    });

    test("is elsewhere is refused then, and gets no token", async () => {
      const folder = await withLateAddress("https://api.example.com");
      await stage().succeed(folder, "plan");
      const { text } = await stage().terraform(folder, "apply -auto-approve");
      expect(text.match(/ERR_DESTINATION_REFUSED/g)).toHaveLength(2);
      expect([stage().calls(), stage().requests()]).toEqual([[], 0]);
    });
  },
  { consumers: true },
);
