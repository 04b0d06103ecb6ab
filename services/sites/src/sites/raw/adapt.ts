/** A warning of Caddy about a Caddyfile. */
export interface AdaptWarning {
  readonly line?: number
  readonly message: string
}

/**
 * Turns the text of a Caddyfile into a configuration without provisioning it, as `POST /adapt` does. Rejects with `AdaptFailed`
 * when Caddy refuses the text, and with another error when no Caddy answers.
 */
export type Adapt = (
  caddyfile: string,
) => Promise<{ readonly config: unknown; readonly warnings: readonly (string | AdaptWarning)[] }>

/** A Caddyfile that cannot be adapted; the message is Caddy's. */
export class AdaptFailed extends Error {
  override readonly name = 'AdaptFailed'
}
