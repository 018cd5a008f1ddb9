import { Socket } from "node:net";

/** A connection to nowhere: it answers everything that is written to it. */
export class AnsweringSocket extends Socket {
  constructor(private readonly answer: string) {
    super();
  }

  override _read(): void {}

  override _write(_chunk: unknown, _encoding: BufferEncoding, done: () => void): void {
    done();
    if (this.readableLength === 0) this.push(this.answer);
  }

  override _writev(_chunks: unknown, done: () => void): void {
    this._write(undefined, "utf8", done);
  }
}
