import { createHash } from 'node:crypto'
import { html, type Html } from '../../portal/page-html.ts'
import type { UptimeDay, UptimeState } from '../schema.ts'

/** A site as visitors of a status page see it. */
export interface ShownSite {
  readonly name: string
  readonly state: UptimeState
  readonly days: readonly UptimeDay[]
  /** Share of the observed time of 90 days; null when nothing was observed. */
  readonly uptime: number | null
}

/** A time for which a site was down. */
export interface ShownIncident {
  readonly name: string
  readonly beganAt: number
  readonly endedAt: number | null
  readonly lastedMs: number
}

/** A planned maintenance of sites of the page. */
export interface ShownMaintenance {
  readonly names: readonly string[]
  readonly start: number
  readonly end: number
}

/** Everything that a status page shows. */
export interface ShownStatus {
  readonly title: string
  readonly description: string
  readonly sites: readonly ShownSite[]
  readonly incidents: readonly ShownIncident[]
  readonly maintenance: readonly ShownMaintenance[]
  readonly now: number
}

const stateWords: Readonly<Record<UptimeState, string>> = {
  up: 'Up',
  down: 'Down',
  maintenance: 'Maintenance',
  unknown: 'Not known yet',
  off: 'Not checked',
}

/** Returns the page as a document of its own: one style and no script, no address but its own. */
export function statusHtml({ title, description, sites, incidents, maintenance, now }: ShownStatus): string {
  return document(
    title,
    html`<h1>${title}</h1>
      ${description === '' ? html`` : html`<p>${description}</p>`}
      <p class="sum ${sumOf(sites).tone}">${sumOf(sites).text}</p>
      ${maintenance.map(maintenanceHtml)}
      <ul class="sites">
        ${sites.map(siteHtml)}
      </ul>
      <h2>Incidents of the last 14 days</h2>
      ${incidents.length === 0 ? html`<p class="dim">There were none.</p>` : html``}
      <ul>
        ${incidents.map(incidentHtml)}
      </ul>
      <p class="dim">As of ${timeText(now)}. Reload the page for a newer one.</p>`,
  )
}

/** Returns the page for every address that shows nothing. */
export const unknownStatusHtml = (): string =>
  document(
    'Not found',
    html`<h1>Not found</h1>
      <p>There is no status page at this address.</p>`,
  )

/** Returns the page for a time at which the state cannot be read. */
export const unavailableStatusHtml = (): string =>
  document(
    'Not available',
    html`<h1>Not available</h1>
      <p>The status cannot be shown at the moment. Please try again soon.</p>`,
  )

function document(title: string, body: Html): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="robots" content="noindex">',
    html`<title>${title}</title>`.html,
    `<style>${style}</style>`,
    '</head>',
    `<body><main>${body.html}</main></body>`,
    '</html>',
    '',
  ].join('\n')
}

function sumOf(sites: readonly ShownSite[]): { tone: string; text: string } {
  const down = sites.filter(({ state }) => state === 'down').length
  if (down === sites.length && down > 0) return { tone: 'down', text: 'Everything is down' }
  if (down > 0) return { tone: 'down', text: down === 1 ? '1 site is down' : `${down} sites are down` }
  if (sites.some(({ state }) => state === 'maintenance'))
    return { tone: 'maintenance', text: 'Maintenance is going on' }
  if (sites.length > 0 && sites.every(({ state }) => state === 'up')) return { tone: 'up', text: 'Everything is up' }
  return { tone: 'unknown', text: 'Not everything is known yet' }
}

function siteHtml({ name, state, days, uptime }: ShownSite): Html {
  const share = uptime === null ? '' : `${percentText(uptime)} of 90 days`
  return html`<li>
    <div class="head"><strong>${name}</strong><span class="state ${state}">${stateWords[state]}</span></div>
    <svg
      viewBox="0 0 ${days.length * 4} 20"
      preserveAspectRatio="none"
      role="img"
      aria-label="Uptime of ${name}, 90 days${share === '' ? '' : `: ${percentText(uptime ?? 0)}`}"
    >
      ${days.map((day, index) => dayHtml(day, index))}
    </svg>
    <div class="dim ends"><span>90 days ago</span><span>${share}</span><span>today</span></div>
  </li>`
}

function dayHtml({ date, uptime, maintenance_seconds: maintenance }: UptimeDay, index: number): Html {
  const kind =
    uptime === null
      ? maintenance > 0
        ? 'maintenance'
        : 'none'
      : uptime >= 0.999
        ? 'up'
        : uptime >= 0.95
          ? 'part'
          : 'down'
  const words = uptime === null ? (maintenance > 0 ? 'maintenance' : 'not observed') : percentText(uptime)
  return html`<rect x="${index * 4}" y="0" width="3" height="20" class="${kind}"
    ><title>${date}: ${words}</title></rect
  >`
}

const incidentHtml = ({ name, beganAt, endedAt, lastedMs }: ShownIncident): Html =>
  html`<li>
    <strong>${name}</strong> was down from ${timeText(beganAt)} ${endedAt === null ? 'on' : `to ${timeText(endedAt)}`}
    (${durationText(lastedMs)} observed)
  </li>`

const maintenanceHtml = ({ names, start, end }: ShownMaintenance): Html =>
  html`<p class="sum maintenance">Maintenance of ${names.join(', ')}: ${timeText(start)} to ${timeText(end)}</p>`

/** Never 100 % for a time in which something was down. */
export function percentText(share: number): string {
  if (share === 1) return '100 %'
  return `${(Math.floor(share * 10_000) / 100).toFixed(2)} %`
}

const timeText = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

function durationText(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000))
  if (minutes < 60) return `${minutes} min`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

const style = `
:root { color-scheme: light dark; --page: #f4f5f7; --card: #fff; --text: #1a1b1e; --dim: #5c5f66; --line: #dee2e6; --up: #2b8a3e; --part: #e67700; --down: #c92a2a; --maintenance: #1864ab; --none: #ced4da }
@media (prefers-color-scheme: dark) { :root { --page: #141517; --card: #1f2023; --text: #e9ecef; --dim: #a6a7ab; --line: #373a40; --up: #69db7c; --part: #ffc078; --down: #ffa8a8; --maintenance: #74c0fc; --none: #495057 } }
* { box-sizing: border-box }
body { margin: 0; padding: 2rem 1rem; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 46rem; margin: 0 auto; overflow-wrap: anywhere }
h1 { margin: 0 0 .25rem; font-size: 1.7rem } h2 { margin: 2rem 0 .5rem; font-size: 1.15rem }
ul { padding-left: 1.2rem } .dim { color: var(--dim) }
.sum { padding: .75rem 1rem; font-weight: 600; background: var(--card); border-left: .35rem solid var(--none); border-radius: .5rem }
.sum.up { border-color: var(--up) } .sum.down { border-color: var(--down) } .sum.maintenance { border-color: var(--maintenance) }
.sites { padding: 0; list-style: none }
.sites li { margin: .75rem 0; padding: .9rem 1rem; background: var(--card); border-radius: .5rem }
.head, .ends { display: flex; justify-content: space-between; gap: 1rem } .ends { font-size: .85rem }
.state { font-weight: 600; color: var(--dim) } .state.up { color: var(--up) } .state.down { color: var(--down) } .state.maintenance { color: var(--maintenance) }
svg { display: block; width: 100%; height: 1.6rem; margin: .5rem 0 .25rem }
rect.up { fill: var(--up) } rect.part { fill: var(--part) } rect.down { fill: var(--down) } rect.maintenance { fill: var(--maintenance) } rect.none { fill: var(--none) }
`

/** Policy of the pages: their one style, by its hash, and nothing else. */
export const statusPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
