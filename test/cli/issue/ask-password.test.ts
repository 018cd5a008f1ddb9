import { EventEmitter } from "node:events";
import { askPassword, type Keyboard } from "../../../lib/cli/issue/ask-password";

/** A keyboard that remembers in which mode it is. */
class FakeKeyboard extends EventEmitter {
  readonly isTTY = true;
  raw = false;
  flowing = false;

  setRawMode(raw: boolean): this {
    this.raw = raw;
    return this;
  }

  setEncoding(): this {
    return this;
  }

  resume(): this {
    this.flowing = true;
    return this;
  }

  pause(): this {
    this.flowing = false;
    return this;
  }
}

let keyboard: FakeKeyboard;
let printed: string;
const ask = () =>
  askPassword("Password: ", keyboard as unknown as Keyboard, (text) => {
    printed += text;
  });
beforeEach(() => {
  keyboard = new FakeKeyboard();
  printed = "";
});
afterEach(() => {
  // However it has ended, the terminal is as before, and nothing is listened to any more.
  expect([keyboard.raw, keyboard.flowing, keyboard.eventNames()]).toEqual([false, false, []]);
  expect(printed).toBe("Password: \n");
});

test.each([
  ["letters one by one", ["p", "ä", "😀", "\r"], "pä😀"],
  ["corrections", ["wrong\u0015px\u007f\u007f", "q\n"], "q"],
  ["quotes and spaces", [" it's $(x) `y` \r"], " it's $(x) `y` "],
  ["a paste, which some terminals mark", ["\u001b[200~secret\u001b[201~\r"], "secret"],
  ["keys that move the cursor", ["se", "\u001b[D", "\u001bOH", "\u001b[3~", "cret\r"], "secret"],
  ["nothing", ["\r"], ""],
])("takes %s", async (_what, keys, password) => {
  const typed = ask();
  expect(keyboard.raw).toBe(true);
  for (const key of keys) keyboard.emit("data", key);
  expect((await typed).reveal()).toBe(password);
});

test.each([
  { what: "Ctrl-C", end: () => keyboard.emit("data", "half\u0003") },
  { what: "Ctrl-D", end: () => keyboard.emit("data", "\u0004") },
  { what: "a terminal that has gone", end: () => keyboard.emit("end") },
  { what: "SIGTERM", end: () => process.emit("SIGTERM") },
  { what: "SIGHUP", end: () => process.emit("SIGHUP") },
  { what: "SIGINT", end: () => process.emit("SIGINT") },
  { what: "SIGQUIT", end: () => process.emit("SIGQUIT") },
])("$what gives it up", async ({ end }) => {
  const typed = ask();
  end();
  await expect(typed).rejects.toMatchObject({ code: "ERR_CANCELLED" });
});
