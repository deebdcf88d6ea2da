import { experimental, Metadata, status } from '@grpc/grpc-js';
import type { OutboundPolicy } from '../backends/outbound.ts';

/** Targets `mqdeck:host:port` are resolved as the outbound policy allows it, for each new connection. */
export const SCHEME = 'mqdeck';
/** The channel option with the policy. */
export const POLICY_OPTION = 'mqdeck.outbound';

type Target = experimental.GrpcUri;
type Answer = experimental.StatusOr<experimental.Endpoint[]>;
type Options = Record<string, unknown>;

/** A channel asks again at once when a connection fails: it hears the next answer not before this. */
const PAUSE_MS = 1000;

class OutboundResolver implements experimental.Resolver {
  private readonly host: string;
  private readonly port: number;
  private readonly listener: experimental.ResolverListener;
  private readonly outbound: OutboundPolicy;
  private turn = 0; // an older one says nothing more
  private answeredAt = Number.NEGATIVE_INFINITY; // by performance.now()
  private timer: NodeJS.Timeout | null = null;
  private asking = false;

  constructor(target: Target, listener: experimental.ResolverListener, options: Options) {
    const { host, port } = experimental.splitHostPort(target.path)!;
    this.host = host;
    this.port = port!;
    this.listener = listener;
    this.outbound = options[POLICY_OPTION] as OutboundPolicy;
  }

  updateResolution(): void {
    if (this.asking || this.timer !== null) return;
    const waitMs = this.answeredAt + PAUSE_MS - performance.now();
    if (waitMs <= 0) return void this.ask();
    this.timer = setTimeout(() => {
      this.timer = null;
      void this.ask();
    }, waitMs);
    this.timer.unref();
  }

  destroy(): void {
    this.turn++;
    this.asking = false;
    this.answeredAt = Number.NEGATIVE_INFINITY;
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  private async ask(): Promise<void> {
    const { turn, port } = this;
    this.asking = true;
    const answer = await this.outbound.resolve(this.host).then<Answer, Answer>(
      (found) =>
        experimental.statusOrFromValue(found.map(({ address: host }) => ({ addresses: [{ host, port }] }))),
      (cause: Error) =>
        experimental.statusOrFromError({
          code: status.UNAVAILABLE,
          details: cause.message,
          metadata: new Metadata(),
        }),
    );
    if (turn !== this.turn) return;
    this.asking = false;
    this.answeredAt = performance.now();
    this.listener(answer, {}, null, '');
  }

  static getDefaultAuthority({ path }: Target): string {
    return path;
  }
}

experimental.registerResolver(SCHEME, OutboundResolver);
