import { z } from 'zod'

/** A status, or a range of them. */
const statusRange = /^([1-5]\d\d)(?:-([1-5]\d\d))?$/

/** Returns the ranges of `200-399, 401`; undefined for text that is no such list. */
export function readStatusRanges(text: string): (readonly [number, number])[] | undefined {
  const ranges = text.split(',').map((part) => {
    const match = statusRange.exec(part.trim())
    const first = Number(match?.[1])
    return [first, Number(match?.[2] ?? first)] as const
  })
  return ranges.every(([first, last]) => first <= last) ? ranges : undefined
}

/** How a site is checked through Caddy, as a visitor would request it. */
export const SiteCheck = z
  .strictObject({
    enabled: z.boolean().default(true),
    interval_seconds: z.int().min(10).max(86_400).default(60),
    path: z
      .string()
      .max(1024)
      .regex(/^\/[\x21-\x7e]*$/, 'must start with / and be printable ASCII without blanks')
      .default('/')
      .meta({ description: 'Path and query that are requested' }),
    expected_status: z
      .string()
      .max(100)
      .refine((text) => readStatusRanges(text) !== undefined, 'must be statuses or ranges, such as 200-399, 401')
      .default('200-499')
      .meta({ description: 'Statuses that count as up, separated by commas' }),
    expected_text: z
      .string()
      .min(1)
      .max(500)
      .nullable()
      .default(null)
      .meta({ description: 'Text that the first 256 KiB of the page contain; null for no matter what' }),
    timeout_seconds: z.int().min(1).max(60).default(10),
    failures: z
      .int()
      .min(1)
      .max(10)
      .default(3)
      .meta({ description: 'Failed checks in a row after which the site is down' }),
    verify_tls: z
      .boolean()
      .default(true)
      .meta({ description: 'A certificate that is expired, of another name, or not trusted counts as down' }),
    follow_redirects: z
      .boolean()
      .default(false)
      .meta({ description: 'Follows redirects to the names of the same site, at most five; never to other hosts' }),
  })
  .meta({ id: 'SiteCheck' })
export type SiteCheck = z.infer<typeof SiteCheck>

/** The check of a site for which nothing was set. */
export const defaultCheck: SiteCheck = SiteCheck.parse({})
