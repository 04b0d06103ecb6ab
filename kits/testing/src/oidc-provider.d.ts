/** The parts of `oidc-provider` that `openid-provider.ts` uses; the package has no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

  interface Context {
    readonly path: string
    body: unknown
    readonly oidc: { readonly client: { readonly clientId: string }; readonly session: { readonly accountId: string } }
  }

  interface Grant {
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }

  export class Provider {
    constructor(issuer: string, configuration: object)
    readonly Grant: new (values: { clientId: string; accountId: string }) => Grant
    callback(): RequestListener
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
  }
}
