import { checkResponse } from './answers.ts';

/** Stands in for XMLHttpRequest: what is sent waits until the test lets it go on, or asks `fetch` at once. */
export class FakeXhr {
  static all: FakeXhr[] = [];

  upload: { onprogress?: (event: Partial<ProgressEvent>) => void } = {};
  onload: () => void = () => undefined;
  onerror: () => void = () => undefined;
  onabort: () => void = () => undefined;
  onloadend: () => void = () => undefined;
  status = 0;
  responseText = '';
  method = '';
  address = '';
  headers: Record<string, string> = {};
  body: unknown;
  #answered = new Headers();

  open(method: string, address: string): void {
    this.method = method;
    this.address = address;
  }

  setRequestHeader(name: string, value: string): void {
    this.headers[name.toLowerCase()] = value;
  }

  send(body: unknown): void {
    this.body = body;
    FakeXhr.all.push(this);
  }

  abort(): void {
    this.onabort();
    this.onloadend();
  }

  progress(loaded: number, total: number): void {
    this.upload.onprogress?.({ loaded, total, lengthComputable: true });
  }

  async answer(response: Response): Promise<void> {
    await checkResponse(this.method, this.address, response);
    this.status = response.status;
    this.#answered = response.headers;
    this.responseText = await response.text();
    this.onload();
    this.onloadend();
  }

  breakOff(): void {
    this.onerror();
    this.onloadend();
  }

  getAllResponseHeaders(): string {
    return [...this.#answered].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  }
}

/** One that is answered by whatever stands behind `fetch`. */
export class FetchingXhr extends FakeXhr {
  override send(body: unknown): void {
    super.send(body);
    const init = { method: this.method, headers: this.headers, body: body as FormData };
    void fetch(this.address, init).then((response) => this.answer(response));
  }
}
