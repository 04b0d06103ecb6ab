import type { Report, RuleContext, SiteToCheck } from './rule-context.ts'

/** Checks a site that shows a status page. */
export function checkStatus(site: SiteToCheck, { portal, statusPages }: RuleContext, report: Report): void {
  if (site.kind !== 'status') return
  const { status_page: slug } = site
  if (portal.obstacle !== undefined) report('kind', `status ${portal.obstacle}`)
  if (slug === null)
    report('status_page', 'is required for the kind status: the last part of the address of a status page')
  else if (!statusPages.has(slug)) report('status_page', `names no public status page: ${slug}`)
}
