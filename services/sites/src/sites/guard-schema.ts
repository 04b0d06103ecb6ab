import { z } from 'zod'

/** A change of a header: `set` replaces, `add` appends, `delete` removes, `default` sets what is not there yet. */
export const HeaderChange = z
  .strictObject({
    op: z.enum(['set', 'add', 'delete', 'default']),
    name: z.string().min(1).max(128),
    value: z.string().max(8192).default('').meta({ description: 'May hold placeholders like {http.request.host}' }),
  })
  .meta({ id: 'HeaderChange' })
export type HeaderChange = z.infer<typeof HeaderChange>

/** TLS settings of a site. */
export const Tls = z
  .strictObject({
    mode: z.enum(['auto', 'internal', 'custom', 'on_demand', 'off']).default('auto').meta({
      description:
        'auto: public authority; internal: Caddy signs itself; custom: an uploaded certificate; on_demand: at the first visit; off: plain HTTP only',
    }),
    min_version: z.enum(['1.2', '1.3']).default('1.2'),
    acme_ca: z.url().max(2048).nullable().default(null).meta({ description: 'Directory of another authority' }),
    staging: z.boolean().default(false).meta({ description: "Let's Encrypt's test authority" }),
    certificate_id: z.int().positive().nullable().default(null),
    client_auth_ca_id: z.int().positive().nullable().default(null).meta({
      description: 'Visitors need a certificate that this uploaded authority signed',
    }),
  })
  .meta({ id: 'Tls' })

export const Hsts = z
  .strictObject({
    max_age: z.int().min(0).max(63_072_000).default(31_536_000),
    subdomains: z.boolean().default(false),
    preload: z.boolean().default(false),
  })
  .meta({ id: 'Hsts' })

/** A user of basic authentication as it is written; without a password the stored one stays. */
export const BasicAuthCredentials = z
  .strictObject({
    username: z.string().min(1).max(128),
    password: z.string().min(8).max(72).optional().meta({ writeOnly: true }),
  })
  .meta({ id: 'BasicAuthCredentials' })

/** A user of basic authentication as it is shown. */
export const BasicAuthUser = z.strictObject({ username: z.string() }).meta({ id: 'BasicAuthUser' })

/** Another server decides whether a request may pass. */
export const ForwardAuth = z
  .strictObject({
    url: z
      .string()
      .min(1)
      .max(2048)
      .meta({ description: 'The deciding server, as an upstream: `http://10.0.0.9:9091`' }),
    uri: z.string().min(1).max(2048).default('/').meta({ description: 'Path and query that are asked' }),
    copy_headers: z.array(z.string().min(1).max(128)).max(32).default([]).meta({
      description: 'Headers of its answer the site gets; what the client sent under these names is removed first',
    }),
  })
  .meta({ id: 'ForwardAuth' })

/** Access rules of a site. */
export const Access = z
  .strictObject({
    allow: z
      .array(z.string().max(64))
      .max(256)
      .default([])
      .meta({ description: 'Networks; when any is given all others get 403' }),
    deny: z.array(z.string().max(64)).max(256).default([]).meta({ description: 'Networks that get 403' }),
    noindex: z.boolean().default(false).meta({ description: 'Asks search engines to leave the site out' }),
    block_bots: z.boolean().default(false).meta({ description: 'Answers 403 to crawlers that say so' }),
  })
  .meta({ id: 'Access' })

/** Maintenance page of a site. */
export const Maintenance = z
  .strictObject({
    allow: z.array(z.string().max(64)).max(256).default([]).meta({ description: 'Networks that see the site as ever' }),
    retry_after: z.int().min(1).max(604_800).default(300).meta({ description: 'Seconds' }),
    page: z
      .string()
      .max(65_536)
      .nullable()
      .default(null)
      .meta({ description: 'HTML; null shows the page of the settings' }),
  })
  .meta({ id: 'Maintenance' })

export const SiteLog = z
  .strictObject({
    enabled: z.boolean().default(true),
    own_file: z.boolean().default(false).meta({ description: 'Writes the site into a file of its own as well' }),
  })
  .meta({ id: 'SiteLog' })
