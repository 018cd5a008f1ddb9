import { LOCKOUT } from "../identity-under-test";
import type { ConformanceCase, ConformanceGroup } from "./case";
import { UNAUTHORIZED } from "./exchanges";
import { messageOf, type ServiceHands } from "./service-hands";

/** Real time on purpose: what takes a second of Keystone's clock is tried. */
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const loginWith = (service: ServiceHands, user: string, password: string) =>
  service.post({
    auth: {
      identity: {
        methods: ["password"],
        password: { user: { ...service.userMember(user), password } },
      },
      scope: service.accountScope,
    },
  });

const cases: readonly ConformanceCase[] = [
  {
    name: "a 401 has the same bytes, whatever the cause",
    needs: ["users", "failed_login"],
    run: async (service) => {
      const answers = [
        await loginWith(service, "svc", "canary-wrong"),
        await service.post(service.body("svc", service.projectScope("no-such"))),
        await service.post(service.body("svc-projects-only")),
        await service.post(service.body("svc-disabled")),
        await loginWith(service, "svc-disabled", "canary-wrong"),
      ];
      const [first] = answers;
      expect([first?.status, messageOf(first?.body ?? "")]).toEqual([401, UNAUTHORIZED]);
      expect(new Set(answers.map(({ status, body }) => `${status} ${body}`)).size).toBe(1);
    },
  },
  {
    name: "an expired password is the only cause that is reported, and only for the right password",
    needs: ["users", "failed_login"],
    run: async (service) => {
      const { status, body } = await service.post(service.body("svc-expired"));
      expect([status, messageOf(body)]).toEqual([
        401,
        expect.stringMatching(
          /^The password is expired and needs to be changed for user: [0-9a-f]{32}\.$/,
        ),
      ]);
      const wrong = await loginWith(service, "svc-expired", "canary-wrong");
      expect([wrong.status, messageOf(wrong.body)]).toEqual([401, UNAUTHORIZED]);
    },
  },
  {
    name: "of a long password 72 bytes count",
    needs: ["users", "failed_login"],
    run: async (service) => {
      const password = service.service.passwordOf("svc-long-password");
      const bytes = Buffer.from(password);
      expect(bytes.length).toBeGreaterThan(72);
      const statuses: number[] = [];
      for (const given of [bytes.subarray(0, 72), bytes.subarray(0, 70)]) {
        statuses.push((await loginWith(service, "svc-long-password", given.toString())).status);
      }
      statuses.push((await loginWith(service, "svc-long-password", `${password}more`)).status);
      expect(statuses).toEqual([201, 401, 201]);
    },
  },
  {
    name: "too many wrong passwords lock a user, with the usual 401, for a while",
    needs: ["users", "failed_login"],
    waits: true,
    run: async (service) => {
      const login = async (password: string) =>
        (await loginWith(service, "svc-lockout", password)).status;
      const right = service.service.passwordOf("svc-lockout");
      // One less than locks, and a success between, which forgets them.
      for (let time = 1; time < LOCKOUT.failures; time += 1)
        expect(await login("canary-wrong")).toBe(401);
      expect(await login(right)).toBe(201);
      for (let time = 0; time < LOCKOUT.failures; time += 1)
        expect(await login("canary-wrong")).toBe(401);
      const locked = await loginWith(service, "svc-lockout", right);
      expect([locked.status, messageOf(locked.body)]).toEqual([401, UNAUTHORIZED]);
      await pause(LOCKOUT.seconds * 1000 + 300);
      expect(await login(right)).toBe(201);
    },
  },
  {
    name: "a changed password kills the old tokens, and the new ones of the same second",
    needs: ["users", "failed_login", "administrator"],
    waits: true,
    run: async (service) => {
      const { token } = await service.issue("svc-changing");
      const old = service.service.passwordOf("svc-changing");
      const renew = async (password: string) =>
        service.service.administrator?.changePassword("svc-changing", password);
      try {
        // At the beginning of a second: the rest happens within it.
        await pause(1_020 - (Date.now() % 1000));
        const second = Math.floor(Date.now() / 1000);
        await renew("canary-new");
        const issued = service.take(await loginWith(service, "svc-changing", "canary-new"));
        expect((await loginWith(service, "svc-changing", old)).status).toBe(401);
        expect(await service.accepts(token)).toBe(false);
        if (Math.floor(Date.parse(issued.tokenBody.issued_at) / 1000) === second) {
          expect(await service.accepts(issued.token)).toBe(false);
        }
        await pause(1_100);
        const later = service.take(await loginWith(service, "svc-changing", "canary-new"));
        expect(await service.accepts(later.token)).toBe(true);
      } finally {
        await renew(old);
      }
    },
  },
  {
    name: "disabling a user kills its tokens, and enabling it does not bring them back",
    needs: ["users", "administrator"],
    waits: true,
    run: async (service) => {
      const { administrator } = service.service;
      const { token } = await service.issue("svc-leaving");
      const seen = async () => [
        await service.accepts(token),
        (await service.post(service.body("svc-leaving"))).status,
      ];
      expect(await seen()).toEqual([true, 201]);
      await administrator?.disable("svc-leaving");
      expect(await seen()).toEqual([false, 401]);
      await administrator?.enable("svc-leaving");
      expect(await seen()).toEqual([false, 201]);
      await pause(1_100);
      expect(await service.accepts((await service.issue("svc-leaving")).token)).toBe(true);
    },
  },
];

/** Wrong, expired, long and changed passwords, and locked and disabled users. */
export const PASSWORDS: ConformanceGroup = { name: "passwords", cases };
