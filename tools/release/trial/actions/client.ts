import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Which part of a trial runs: the first use of a fresh service, or a look at what it left. */
export const isFirst = process.argv[2] === 'use'

/** A browser that keeps cookies and sends a token against forged requests. */
export class Client {
  readonly #url: string
  readonly #cookies = new Map<string, string>()
  /** Headers of every request. */
  readonly headers: Record<string, string> = {}

  constructor(port: number) {
    this.#url = `http://127.0.0.1:${port}`
  }

  /** Checks that the page of the service answers. */
  async openPage(): Promise<void> {
    const page = await fetch(`${this.#url}/`, { headers: { accept: 'text/html' } })
    this.#keepCookies(page)
    assert.equal(page.status, 200)
    assert.match(await page.text(), /<html/)
  }

  /** Sends a request and returns the body of the answer, which must be a success. */
  async call<Body = unknown>(method: string, path: string, body?: unknown): Promise<Body> {
    const cookie = Array.from(this.#cookies, ([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(`${this.#url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', cookie, ...this.headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    this.#keepCookies(answer)
    const text = await answer.text()
    assert.ok(answer.ok, `${method} ${path} answered ${answer.status}: ${text}`)
    const isJson = (answer.headers.get('content-type') ?? '').includes('json')
    return (isJson ? JSON.parse(text) : text) as Body
  }

  /** The value of the cookie whose name ends so. */
  cookie(ending: string): string {
    const [, value = ''] = [...this.#cookies].find(([name]) => name.endsWith(ending)) ?? []
    assert.notEqual(value, '', `no cookie ends with ${ending}`)
    return value
  }

  #keepCookies(answer: Response): void {
    for (const text of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
      this.#cookies.set(name, value)
    }
  }
}

/** The first password or token of a fresh service, as its file has it. */
export const firstSecret = (service: string, file: string): string =>
  readFileSync(`/var/lib/hearth/${service}/${file}`, 'utf8').trim()

/** Runs a command of `hearth` as an administrator would, and returns what it printed. */
export const hearth = (...args: string[]): string =>
  execFileSync('hearth', args, { encoding: 'utf8', timeout: 120_000, stdio: ['ignore', 'pipe', 'inherit'] }).trim()

/** Repeats until what is looked for is there, at most a minute. */
export async function eventually<T>(look: () => Promise<T>): Promise<T> {
  const end = Date.now() + 60_000
  for (;;) {
    try {
      return await look()
    } catch (error) {
      if (Date.now() > end) throw error
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
}
