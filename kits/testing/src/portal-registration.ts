import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** The registration of services at a Hearth portal, as a fake provider has it (docs/reference/portal-connection.md). */
export interface PortalRegistration {
  /** Whether the administrator there allows the service. */
  isAllowed: boolean
  /** Groups that the administrator there chooses. */
  groups: { allowed: readonly string[]; admins: readonly string[] }
  /** False before a service was registered, and after it was removed. */
  isRegistered: boolean
  /** Changes the query with which a browser is sent back. */
  alterAnswer: ((query: URLSearchParams) => void) | undefined
  /** Members of the portal’s description that differ. */
  alterDescription: Record<string, unknown>
  /** Takes requests about a registration and answers none. */
  isSilent: boolean
  /** Codes that were given out. */
  readonly codes: string[]
  /** Bodies of registrations that were accepted. */
  readonly registered: Record<string, unknown>[]
}

/** Members of the client that the fake has for the service. */
interface PortalClient {
  readonly client_id: string
  readonly client_secret: string
}

/** Codes and their challenge and redirect URI. */
type Codes = Map<string, { readonly challenge: string; readonly redirectUri: string }>

/** Creates the endpoints of a portal; each call answers a request, or returns false. */
export function createPortalRegistration(issuer: string, client: PortalClient) {
  const codes: Codes = new Map()
  const token = randomBytes(16).toString('hex')
  const state: PortalRegistration = {
    isAllowed: true,
    groups: { allowed: ['family'], admins: ['admins'] },
    isRegistered: false,
    alterAnswer: undefined,
    alterDescription: {},
    isSilent: false,
    codes: [],
    registered: [],
  }
  const description = {
    issuer,
    connect_endpoint: `${issuer}/connect`,
    registration_endpoint: `${issuer}/connect/registration`,
  }
  const groups = () => ({
    redirect_uris: state.registered.at(-1)?.['redirect_uris'],
    hearth_allowed_groups: state.groups.allowed,
    hearth_admin_groups: state.groups.admins,
  })
  const send = (response: ServerResponse, status: number, body: object) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

  /** The page on which an administrator allows a service; here nobody has to click. */
  function connect({ searchParams }: URL, response: ServerResponse): void {
    const target = new URL(searchParams.get('return_to') ?? '')
    target.searchParams.set('state', searchParams.get('state') ?? '')
    target.searchParams.set('iss', issuer)
    if (state.isAllowed) {
      const code = randomBytes(32).toString('base64url')
      codes.set(code, {
        challenge: searchParams.get('code_challenge') ?? '',
        redirectUri: searchParams.get('redirect_uri') ?? '',
      })
      state.codes.push(code)
      target.searchParams.set('code', code)
    } else target.searchParams.set('error', 'access_denied')
    state.alterAnswer?.(target.searchParams)
    response.writeHead(303, { location: target.href }).end()
  }

  async function register(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const code = bearerOf(request)
    const given = codes.get(code)
    codes.delete(code)
    const body = JSON.parse(await readText(request)) as Record<string, unknown>
    const challenge = createHash('sha256').update(String(body['code_verifier'])).digest('base64url')
    const [redirectUri] = body['redirect_uris'] as string[]
    if (given === undefined || given.challenge !== challenge || given.redirectUri !== redirectUri)
      return send(response, 401, { error: 'invalid_token' })
    state.isRegistered = true
    state.registered.push(body)
    const uri = `${issuer}/connect/registration/${client.client_id}`
    const management = { registration_client_uri: uri, registration_access_token: token }
    send(response, 201, { ...body, ...client, ...management, ...groups() })
  }

  function manage(request: IncomingMessage, response: ServerResponse): void {
    if (state.isSilent) return
    if (!state.isRegistered || bearerOf(request) !== token) return send(response, 401, { error: 'invalid_token' })
    if (request.method !== 'DELETE') return send(response, 200, { client_id: client.client_id, ...groups() })
    state.isRegistered = false
    response.writeHead(204).end()
  }

  return {
    state,
    handle(request: IncomingMessage, response: ServerResponse): boolean {
      const url = new URL(request.url ?? '', issuer)
      if (url.pathname === '/.well-known/hearth-portal')
        send(response, 200, { ...description, ...state.alterDescription })
      else if (url.pathname === '/connect') connect(url, response)
      else if (url.pathname === '/connect/registration') void register(request, response)
      else if (url.pathname.startsWith('/connect/registration/')) manage(request, response)
      else return false
      return true
    },
  }
}

const bearerOf = ({ headers }: IncomingMessage): string => (headers.authorization ?? '').replace(/^Bearer /, '')

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
  return Buffer.concat(parts).toString()
}
