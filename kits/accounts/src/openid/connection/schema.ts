import { z } from 'zod'

/** Start of a connection to a Hearth portal. */
export const OpenIdConnectionStart = z
  .object({
    issuer: z.string().max(300).meta({ description: 'Address of the portal, such as `https://auth.example.org`' }),
    current_password: z.string().max(4096).meta({ description: 'Your password: this decides who may sign in' }),
  })
  .meta({ id: 'OpenIdConnectionStart' })

/** Where the browser goes to connect. */
export const OpenIdConnectionAddress = z
  .object({ url: z.string().meta({ description: 'Address at the portal, for this browser' }) })
  .meta({ id: 'OpenIdConnectionAddress' })

/** The connection to a Hearth portal, through which people sign in. */
export const OpenIdConnectionView = z
  .object({
    state: z.enum(['none', 'environment', 'connected', 'removed', 'moved', 'unreachable']).meta({
      description:
        '`environment`: OIDC_ISSUER names a provider, which counts; `removed`: the portal does not know this service any more; `moved`: it knows it at an earlier PUBLIC_URL; `unreachable`: the portal does not answer right now',
    }),
    obstacle: z.string().nullable().meta({ description: 'Why this service cannot be connected; null when it can' }),
    public_url: z.string().nullable().meta({ description: 'Address at which the portal knows this service' }),
    issuer: z.string().nullable().meta({ description: 'Address of the portal or provider' }),
    allowed_groups: z
      .array(z.string())
      .meta({ description: 'Groups whose people may sign in; `*` for everybody whom the portal lets in' }),
    admin_groups: z.array(z.string()).meta({ description: 'Groups whose people are administrators' }),
    connected_by: z.string().nullable().meta({ description: 'User who connected it' }),
    connected_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'OpenIdConnection' })
export type OpenIdConnectionView = z.infer<typeof OpenIdConnectionView>

/** How a disconnection ended. */
export const OpenIdDisconnection = z
  .object({
    is_removed_there: z
      .boolean()
      .meta({ description: 'False when the portal did not answer: delete the application there as well' }),
  })
  .meta({ id: 'OpenIdDisconnection' })
export type OpenIdDisconnection = z.infer<typeof OpenIdDisconnection>

/** What the portal sends when a session there ended. */
export const LogoutToken = z.object({ logout_token: z.string().min(1).max(8192) }).meta({ id: 'OpenIdLogoutToken' })

/** The number of sessions that ended here. */
export const LogoutDone = z.object({ ended: z.int().min(0) }).meta({ id: 'OpenIdLogoutDone' })
