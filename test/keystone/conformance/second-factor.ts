import type { ConformanceGroup } from "./case";
import { UNAUTHORIZED } from "./exchanges";
import { messageOf, type ServiceHands } from "./service-hands";

const USER = "svc-second-factor";
const ask = (service: ServiceHands, password: string, scope: unknown = service.accountScope) => {
  const user = { ...service.userMember(USER), password };
  return service.post({
    auth: { identity: { methods: ["password"], password: { user } }, scope },
  });
};

/** A user that needs a passcode in addition to its password. */
export const SECOND_FACTOR: ConformanceGroup = {
  name: "a second factor",
  cases: [
    {
      name: "for the right password there is a 401 with a receipt, and no token",
      needs: ["users"],
      run: async (service) => {
        const answer = await ask(service, service.service.passwordOf(USER));
        expect(answer.status).toBe(401);
        expect(answer.headers["openstack-auth-receipt"]).toMatch(/^gAAAA[\w-]{114}$/);
        expect("x-subject-token" in answer.headers).toBe(false);
        // Unlike every other 401.
        expect("www-authenticate" in answer.headers).toBe(false);
        const { receipt, required_auth_methods: rules, ...more } = JSON.parse(answer.body);
        expect(rules.map((methods: string[]) => methods.sort())).toEqual([["password", "totp"]]);
        expect(more).toEqual({});
        expect(receipt).toEqual({
          methods: ["password"],
          user: {
            id: expect.stringMatching(/^[0-9a-f]{32}$/),
            name: USER,
            domain: { id: expect.stringMatching(/^[0-9a-f]{32}$/), name: service.account.name },
          },
          issued_at: expect.stringMatching(/\.000000Z$/),
          expires_at: expect.stringMatching(/\.000000Z$/),
        });
        const lifetime = Date.parse(receipt.expires_at) - Date.parse(receipt.issued_at);
        // Keystone reads its clock twice.
        expect([0, 1_000]).toContain(300_000 - lifetime);
      },
    },
    {
      name: "for a wrong password, and for an unknown scope, there is the usual 401",
      needs: ["users", "failed_login"],
      run: async (service) => {
        const answers = [
          await ask(service, "wrong"),
          await ask(service, service.service.passwordOf(USER), { domain: { name: "no-such" } }),
        ];
        for (const { status, headers, body } of answers) {
          expect([status, messageOf(body)]).toEqual([401, UNAUTHORIZED]);
          expect("openstack-auth-receipt" in headers).toBe(false);
        }
      },
    },
  ],
};
