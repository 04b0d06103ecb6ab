import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

/** A session of the library, which stands for a session of the portal. */
export interface LibrarySession {
  readonly uid: string
  readonly accountId?: string
  readonly destroyed?: boolean
  state?: { readonly secret: string; readonly clientId?: string }
}

/** A client of the library. */
export interface LibraryClient {
  readonly clientId: string
  readonly clientSecret?: string
  readonly clientName?: string
  readonly clientAuthMethod: string
  readonly redirectUris: readonly string[]
  /** A member of ours. */
  readonly pkce_required: boolean
}

/** What the library knows about a request. */
export interface LibraryContext {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly path: string
  status: number
  body: unknown
  readonly response: { get(name: string): string | string[] | undefined }
  set(headers: Readonly<Record<string, string>>): void
  set(name: string, value: string | string[]): void
  remove(name: string): void
  /** There once a route of the library matched. */
  readonly oidc?: {
    readonly route: string
    readonly client?: LibraryClient
    readonly session?: LibrarySession
    readonly params?: Readonly<Record<string, string | undefined>>
    readonly account?: { readonly accountId: string }
    readonly result?: object
    urlFor(name: string): string
  }
}

/** A grant of the library: the scopes that an application was granted. */
export interface LibraryGrant {
  jti?: string
  addOIDCScope(scope: string): void
  save(): Promise<string>
}

/** A sign-in under way, as the library keeps it. */
export interface LibraryInteraction {
  readonly uid: string
  readonly params: Readonly<Record<string, unknown>>
  readonly prompt: { readonly name: string; readonly reasons: readonly string[] }
  /** The session in which it began; undefined when nobody was signed in. */
  readonly session?: { readonly uid: string }
  destroy(): Promise<void>
}

/** What the library keeps things in. */
export interface LibraryAdapter {
  upsert(id: string, payload: Readonly<Record<string, unknown>>, expiresIn: number): Promise<void>
  find(id: string): Promise<object | undefined>
  findByUid(uid: string): Promise<object | undefined>
  findByUserCode(code: string): Promise<undefined>
  consume(id: string): Promise<void>
  destroy(id: string): Promise<void>
  revokeByGrantId(grantId: string): Promise<void>
}

/** A provider of the library, for one issuer. */
export interface LibraryProvider {
  proxy: boolean
  readonly Client: { readonly prototype: Record<string, unknown> }
  readonly Grant: new (values: { clientId: string; accountId: string }) => LibraryGrant
  readonly Interaction: { find(uid: string): Promise<LibraryInteraction | undefined> }
  callback(): RequestListener
  use(middleware: (context: LibraryContext, next: () => Promise<void>) => Promise<void>): void
  on(event: string, listener: (...args: never[]) => void): void
  interactionResult(request: IncomingMessage, response: ServerResponse, result: object): Promise<string>
}

interface Check {
  readonly reason: string
}

interface Prompt {
  readonly checks: Check[] & { remove(reason: string): void }
}

/** The interactions that the library may need, in their order. */
export interface LibraryPolicy {
  get(name: string): Prompt
  add(prompt: Prompt, index: number): void
}

/** `oidc-provider`, which has no types, as far as it is used. */
export interface OidcLibrary {
  readonly Provider: {
    new (issuer: string, configuration: object): LibraryProvider
    /** Of the request that is answered. */
    readonly ctx: LibraryContext | undefined
  }
  readonly interactionPolicy: {
    readonly base: () => LibraryPolicy
    readonly Prompt: new (description: { name: string; requestable: boolean }, check?: Check) => Prompt
    readonly Check: new (
      reason: string,
      description: string,
      error: string,
      check: (context: LibraryContext) => boolean | Promise<boolean>,
    ) => Check
  }
  readonly errors: { readonly InvalidGrant: new (detail: string) => Error }
}

/** Loads the library, with the first sign-in of an application: it takes memory. */
export async function loadOidcLibrary(): Promise<OidcLibrary> {
  // It warns of every Node that has no LTS name yet.
  const { warn } = console
  console.warn = () => undefined
  try {
    return (await import('oidc-provider')) as unknown as OidcLibrary
  } finally {
    console.warn = warn
  }
}
