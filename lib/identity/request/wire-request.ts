/** A request as it is sent. The body and some headers are secrets: never print it. */
export interface WireRequest {
  readonly method: "POST" | "DELETE" | "GET";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}
