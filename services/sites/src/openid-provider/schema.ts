import { z } from 'zod'
import { Label } from '../label-schema.ts'
import { GroupName } from '../sites/sign-in-schema.ts'

const Timestamp = z.iso.datetime()
const Url = z.string().max(2048)

/** What an application may do, and how it signs people in. */
export const ClientSettings = z.strictObject({
  preset: z
    .string()
    .regex(/^[a-z0-9-]{1,50}$/)
    .default('other')
    .meta({ description: 'Kind of application, for the lines to type into it' }),
  redirect_uris: z.array(Url).min(1).max(20).meta({
    description: 'Addresses to which sign-ins return, compared letter by letter; http only on loopback',
  }),
  post_logout_redirect_uris: z
    .array(Url)
    .max(20)
    .default([])
    .meta({ description: 'Addresses to which people may return after signing out' }),
  backchannel_logout_uri: Url.nullable()
    .default(null)
    .meta({ description: 'Address at which the application is told that a session ended' }),
  groups: z
    .array(GroupName)
    .max(64)
    .default([])
    .meta({ description: 'Groups that may use it; empty for everybody who can sign in at the portal' }),
  admin_groups: z.array(GroupName).max(64).optional().meta({
    description: 'Groups whose members are administrators, of a Hearth service alone; stays as it is when left out',
  }),
  consent: z
    .enum(['given', 'asked'])
    .default('given')
    .meta({ description: 'given: the administrator agreed for everybody; asked: each user agrees once' }),
  pkce_required: z.boolean().default(true),
  is_public: z
    .boolean()
    .default(false)
    .meta({ description: 'Has no secret, such as an app on a telephone; needs PKCE' }),
  claims_in_id_token: z
    .boolean()
    .default(false)
    .meta({ description: 'Puts name, e-mail address and groups into the ID token too' }),
})
export type ClientSettings = z.infer<typeof ClientSettings>

/** An application to add, or its settings to replace. */
export const OpenIdClientValues = ClientSettings.extend({ name: Label }).meta({ id: 'OpenIdClientValues' })
export type OpenIdClientValues = z.infer<typeof OpenIdClientValues>

/** An application that signs people in through the portal. */
export const OpenIdClientView = z
  .object({
    id: z.string().meta({ description: 'Client id' }),
    name: z.string(),
    preset: z.string(),
    redirect_uris: z.array(z.string()),
    post_logout_redirect_uris: z.array(z.string()),
    backchannel_logout_uri: z.string().nullable(),
    groups: z.array(z.string()),
    admin_groups: z.array(z.string()).optional(),
    consent: z.enum(['given', 'asked']),
    pkce_required: z.boolean(),
    is_public: z.boolean(),
    claims_in_id_token: z.boolean(),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable().meta({ description: 'When somebody last signed in to it' }),
    last_username: z.string().nullable().meta({ description: 'Who did; null when that user is gone' }),
  })
  .meta({ id: 'OpenIdClient' })
export type OpenIdClientView = z.infer<typeof OpenIdClientView>

/** An application with its secret. */
export const OpenIdClientSecret = z
  .object({
    client: OpenIdClientView,
    client_secret: z.string().nullable().meta({ description: 'Shown this once; null for a public client' }),
  })
  .meta({ id: 'OpenIdClientSecret' })
export type OpenIdClientSecret = z.infer<typeof OpenIdClientSecret>

/** A kind of application whose settings are known. */
export const OpenIdPreset = z
  .object({
    id: z.string(),
    label: z.string(),
    address_hint: z.string().meta({ description: 'Example of the address of the application' }),
    redirect_paths: z.array(z.string()).meta({ description: 'Paths below its address to which sign-ins return' }),
    post_logout_paths: z.array(z.string()),
    backchannel_path: z.string().nullable(),
    pkce_required: z.boolean(),
    claims_in_id_token: z.boolean(),
    note: z.string().nullable(),
    where: z.string().meta({ description: 'Where the lines are typed in' }),
    lines: z.string().meta({
      description: 'With {issuer}, {client_id}, {client_secret} and {address} in place of values',
    }),
  })
  .meta({ id: 'OpenIdPreset' })
export type OpenIdPreset = z.infer<typeof OpenIdPreset>

/** The applications, and what the page that lists them needs. */
export const OpenIdClientList = z
  .object({
    issuer: z.string().nullable().meta({ description: 'Address of the portal; null while there is none' }),
    clients: z.array(OpenIdClientView),
    presets: z.array(OpenIdPreset),
  })
  .meta({ id: 'OpenIdClientList' })
export type OpenIdClientList = z.infer<typeof OpenIdClientList>

/** A key that signs ID tokens. */
export const OpenIdKeyView = z
  .object({
    kid: z.string(),
    state: z.enum(['next', 'signing', 'previous']),
    created_at: Timestamp,
    signs_from: Timestamp.nullable(),
    published_until: Timestamp.nullable(),
  })
  .meta({ id: 'OpenIdKey' })
export type OpenIdKeyView = z.infer<typeof OpenIdKeyView>

/** Parameters of the routes of one application. */
export const ClientParams = z.object({
  id: z
    .string()
    .max(64)
    .regex(/^[^\0]*$/),
})
