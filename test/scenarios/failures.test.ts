import { DataResource } from "cdktf";
import { identityIn, localExec, scenarios, webToken } from "./world";

// SECURITY.md: a hundred references make one request.
scenarios("a plan fails", (stage) => {
  test("for a wrong password: a hundred tokens are one request; a destroy without refresh needs none", async () => {
    const folder = await stage().initialized((stack) => {
      const identity = identityIn(stack, stage());
      for (let n = 0; n < 100; n += 1) webToken(stack, stage(), { id: `web-${n}`, identity });
      const { value } = webToken(stack, stage(), { identity });
      new DataResource(stack, "call", localExec("true", { TOKEN: value }));
    });
    await stage().succeed(folder, "apply -auto-approve");
    stage().requests();

    const wrong = { SERVICE_USER_PASSWORD: "canary-wrong-password" };
    const { exitCode, text } = await stage().terraform(folder, "destroy -auto-approve", wrong);
    expect(exitCode).toBe(1);
    expect(stage().requests()).toBe(1);
    expect(text.match(/Error: .*/g)).toHaveLength(101);
    expect(stage().leaks({ text }, wrong)).toEqual([]);

    const args = "destroy -auto-approve -refresh=false";
    expect((await stage().succeed(folder, args, wrong)).text).toContain("1 destroyed");
    expect(stage().requests()).toBe(0);
  });
});
