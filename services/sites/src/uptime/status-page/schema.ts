import { z } from 'zod'
import { StatusSlug } from '../../sites/status-slug.ts'

const shown = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .refine((text) => !/\p{Cc}/u.test(text), 'must not contain control characters')

/** A site on a status page, under the name that visitors see. */
export const StatusPageSite = z
  .strictObject({ site_id: z.int().positive(), name: shown(100).min(1) })
  .meta({ id: 'StatusPageSite' })
export type StatusPageSite = z.infer<typeof StatusPageSite>

/** Values of a status page, without its address. */
export const StatusPageValues = z
  .strictObject({
    title: shown(100).min(1),
    description: shown(500).default(''),
    is_public: z.boolean().default(false).meta({
      description: 'False shows it to users of this service alone; others get the page of an unknown address',
    }),
    sites: z
      .array(StatusPageSite)
      .min(1)
      .max(50)
      .refine(
        (sites) => new Set(sites.map((site) => site.site_id)).size === sites.length,
        'must not name a site twice',
      ),
  })
  .meta({ id: 'StatusPageValues' })
export type StatusPageValues = z.infer<typeof StatusPageValues>

export const StatusPageCreate = z
  .strictObject({ slug: StatusSlug, ...StatusPageValues.shape })
  .meta({ id: 'StatusPageCreate' })
export type StatusPageCreate = z.infer<typeof StatusPageCreate>

/** A page that shows the state of chosen sites, and nothing else of the service. */
export const StatusPage = z
  .object({
    slug: z.string(),
    path: z.string().meta({ description: 'Where it is shown' }),
    title: z.string(),
    description: z.string(),
    is_public: z.boolean(),
    sites: z.array(StatusPageSite),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'StatusPage' })
export type StatusPage = z.infer<typeof StatusPage>

/** The status page that a path names. */
export const SlugParams = z.object({
  slug: z
    .string()
    .max(100)
    .regex(/^[^\0]*$/),
})
