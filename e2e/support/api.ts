import type { RunningServer } from './server.ts';

export interface ApiAnswer<T> {
  status: number;
  body: T;
}

/** One call of the REST API, past the console. */
export async function callApi<T = unknown>(
  server: Pick<RunningServer, 'ports'>,
  method: string,
  path: string,
  { token, body }: { token?: string; body?: unknown } = {},
): Promise<ApiAnswer<T>> {
  const answer = await fetch(`http://127.0.0.1:${server.ports.http}/api/v5${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, body: (text === '' ? undefined : JSON.parse(text)) as T };
}

/** A token of the user, or the refusal's code in an error. */
export async function tokenOf(
  server: Pick<RunningServer, 'ports'>,
  username = 'admin',
  password = 'public',
): Promise<string> {
  const { status, body } = await callApi<{ token: string; code?: string }>(server, 'POST', '/login', {
    body: { username, password },
  });
  if (status !== 200) throw new Error(`${username} cannot sign in: ${status} ${body.code}`);
  return body.token;
}

/** A signed-in administrator, past the console: a call answers with its body, and throws when it is refused. */
export async function operatorOf(
  server: Pick<RunningServer, 'ports'>,
): Promise<<T = unknown>(method: string, path: string, body?: unknown) => Promise<T>> {
  const token = await tokenOf(server);
  return async <T>(method: string, path: string, body?: unknown) => {
    const answer = await callApi<T>(server, method, path, { token, body });
    if (answer.status >= 300) {
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    return answer.body;
  };
}
