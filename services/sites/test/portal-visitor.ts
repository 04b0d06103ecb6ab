import { request, type RequestOptions } from 'node:https'
import type { IncomingHttpHeaders } from 'node:http'
import { portReopened } from './reopened-port.ts'

/** The answer to a visit. */
export interface Visit {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** Where it leads, as an address. */
  readonly location: URL | undefined
}

/** Options of a visit. */
export interface VisitOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Buffer
  /** False sends no cookies, and keeps none. */
  readonly hasCookies?: boolean
}

/** A visitor of sites behind one Caddy: keeps cookies for each host, and follows nothing by itself. */
export class PortalVisitor {
  readonly port: number
  readonly address: string
  readonly cookies = new Map<string, Map<string, string>>()

  /**
   * @param port of Caddy for HTTPS, on loopback
   * @param address from which the visitor comes, of this machine
   */
  constructor(port: number, address = '127.0.0.1') {
    this.port = port
    this.address = address
  }

  /** The address of a page, with the port. */
  url(host: string, path = '/'): string {
    return `https://${host}:${this.port}${path}`
  }

  /** Opens a page as a browser does. */
  open(url: string | URL, options: VisitOptions = {}): Promise<Visit> {
    return this.visit(url, { ...options, headers: { accept: 'text/html', ...options.headers } })
  }

  async visit(
    address: string | URL,
    { method = 'GET', headers = {}, body, hasCookies = true }: VisitOptions = {},
  ): Promise<Visit> {
    await portReopened(this.port)
    const url = new URL(address)
    const path = /^https:\/\/[^/]+(\/[^#]*)?/.exec(String(address))?.[1] ?? '/'
    const cookie = [...(this.cookies.get(url.hostname) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ')
    const sent = {
      host: url.host,
      ...(hasCookies && cookie !== '' && { cookie }),
      ...headers,
    } as RequestOptions['headers']
    const to = { port: this.port, localAddress: this.address, servername: url.hostname }
    const visit = await send({ ...to, path, method, headers: sent ?? {} }, body)
    if (hasCookies) this.#keep(url.hostname, visit.headers['set-cookie'] ?? [])
    const [, refresh] = /<meta http-equiv="refresh" content="0;url=([^"]*)">/.exec(visit.text) ?? []
    const location = visit.headers.location ?? (refresh === undefined ? undefined : unescape(refresh))
    return { ...visit, location: location === undefined ? undefined : new URL(location, url) }
  }

  /** Follows answers that lead elsewhere, until one does not. */
  async follow(url: string | URL): Promise<Visit> {
    let visit = await this.open(url)
    for (let hops = 0; visit.location !== undefined && hops < 10; hops += 1) visit = await this.open(visit.location)
    return visit
  }

  /** Sends the form of a page with these fields beside those that it hides. */
  async submit(page: URL, text: string, fields: Readonly<Record<string, string>>): Promise<Visit> {
    const [, action = '/'] = /<form\s+method="post"\s+action="([^"]+)"/.exec(text) ?? []
    const body = new URLSearchParams({ ...hiddenFields(text), ...fields }).toString()
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(Buffer.byteLength(body)),
      origin: page.origin,
      'sec-fetch-site': 'same-origin',
    }
    return this.open(new URL(action, page), { method: 'POST', headers, body })
  }

  /** Opens a page of a protected site, signs in at the portal, and returns the page of the site. */
  async signIn(url: string, username: string, password: string): Promise<Visit> {
    const refused = await this.open(url)
    if (refused.location === undefined)
      throw new Error(`the site does not ask to sign in: ${refused.status} ${refused.text}`)
    const form = await this.open(refused.location)
    const signedIn = await this.submit(refused.location, form.text, { username, password })
    if (signedIn.location === undefined) return signedIn
    return this.follow(signedIn.location)
  }

  #keep(host: string, lines: readonly string[]): void {
    const kept = this.cookies.get(host) ?? new Map<string, string>()
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/max-age=0/i.test(line)) kept.delete(name)
      else kept.set(name, value)
    }
    this.cookies.set(host, kept)
  }
}

/** The hidden fields of the first form of a page. */
export function hiddenFields(text: string): Record<string, string> {
  const [form = ''] = /<form\s+method="post"[\s\S]*?<\/form>/.exec(text) ?? []
  const fields = [...form.matchAll(/<input\s+type="hidden"\s+name="([^"]*)"\s+value="([^"]*)"/g)]
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, unescape(value)]))
}

const unescape = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

function send(
  options: RequestOptions & { servername: string },
  body: string | Buffer | undefined,
): Promise<Omit<Visit, 'location'>> {
  const { promise, resolve, reject } = Promise.withResolvers<Omit<Visit, 'location'>>()
  const outgoing = request(
    { ...options, host: '127.0.0.1', rejectUnauthorized: false, agent: false, timeout: 20_000 },
    (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(parts).toString() }),
      )
    },
  )
  outgoing.on('timeout', () => outgoing.destroy(new Error('no answer within 20 s')))
  outgoing.on('error', reject)
  outgoing.end(body)
  return promise
}
