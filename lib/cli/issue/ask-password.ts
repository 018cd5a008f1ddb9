import type { ReadStream } from "node:tty";
import { IamTokensError, Secret } from "../../tokens";

/** The used part of a terminal's keyboard. */
export type Keyboard = Pick<
  ReadStream,
  "isTTY" | "setRawMode" | "setEncoding" | "on" | "off" | "resume" | "pause"
>;

const ENTER = ["\r", "\n"];
const RUB_OUT = ["\u007f", "\b"];
const [CTRL_C, CTRL_D, CTRL_U] = ["\u0003", "\u0004", "\u0015"];
const ENDING_SIGNALS = ["SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT"] as const;
/**
 * Sequences of arrow keys and of pasted text, which are never part of a password.
 */
const ESCAPE_SEQUENCE = new RegExp(`${"\u001b"}(?:\\[[0-9;]*[@-~]|O.)?`, "g");

/**
 * Reads a password without echo. The terminal echoes input again as soon as this is over, however
 * it ends.
 *
 * @throws ERR_CANCELLED on Ctrl-C, on Ctrl-D, and if the terminal has gone
 */
export function askPassword(
  question: string,
  keyboard: Keyboard,
  show: (text: string) => void,
): Promise<Secret> {
  return new Promise((resolve, reject) => {
    let typed: string[] = [];
    const end = (act: () => void): void => {
      keyboard.off("data", take).off("end", cancel).off("error", cancel);
      for (const signal of ENDING_SIGNALS) process.off(signal, cancel);
      keyboard.setRawMode(false);
      keyboard.pause();
      show("\n");
      act();
    };
    const cancel = (): void =>
      end(() => reject(new IamTokensError("ERR_CANCELLED", "No password was given.")));
    const take = (text: string): void => {
      for (const character of text.replace(ESCAPE_SEQUENCE, "")) {
        if (ENTER.includes(character)) {
          end(() => resolve(Secret.of(typed.join(""))));
          return;
        }
        if (character === CTRL_C || character === CTRL_D) {
          cancel();
          return;
        }
        if (RUB_OUT.includes(character)) typed.pop();
        else if (character === CTRL_U) typed = [];
        else if (!/\p{Cc}/u.test(character)) typed.push(character);
      }
    };
    // First of all: from now on, input must not be echoed.
    keyboard.setRawMode(true);
    keyboard.setEncoding("utf8");
    for (const signal of ENDING_SIGNALS) process.on(signal, cancel);
    keyboard.on("data", take).on("end", cancel).on("error", cancel);
    show(question);
    keyboard.resume();
  });
}
