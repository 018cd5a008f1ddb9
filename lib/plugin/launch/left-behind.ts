import { connect } from "node:net";

/**
 * Connects once: "refused" is certain (a socket exists, and nobody listens), even for a server in
 * another PID namespace; a busy server may be "unknown".
 */
export function probeSocket(socket: string): Promise<"listens" | "refused" | "unknown"> {
  return new Promise((resolve) => {
    const connection = connect(socket, () => {
      connection.destroy();
      resolve("listens");
    });
    connection.once("error", (error: NodeJS.ErrnoException) =>
      resolve(error.code === "ECONNREFUSED" ? "refused" : "unknown"),
    );
  });
}
