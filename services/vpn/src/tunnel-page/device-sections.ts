import type { DeviceTraffic, DeviceView } from './device-view.ts'
import { html, type Markup } from './markup.ts'
import { agoText, bytesText, dateText, durationText, leftText } from './page-words.ts'

/** The filter of the device: what holds, what comes next, and its pause. */
export function filterSection({ filter, now }: DeviceView): Markup {
  const { state, until, profile, next, pauses, endedAt } = filter
  const left = until === null ? '' : leftText(until, now)
  const states = {
    on: html`<p><strong class="good">The filter is on.</strong></p>`,
    off: html`<p><strong>The filter is off for this device.</strong></p>`,
    paused: html`<p><strong>The filter of this device is paused</strong> for ${left} more.</p>`,
    'paused-for-all': html`<p><strong>The filter is paused for everyone</strong> for ${left} more.</p>`,
    'paused-profile': html`<p><strong>The filter is paused for your profile</strong> for ${left} more.</p>`,
  } as const
  return html`<section aria-labelledby="filter">
    <h2 id="filter">Filter</h2>
    ${states[state]} ${endedAt !== null && html`<p>Your pause was ended ${agoText(endedAt, now)}.</p>`}
    ${profile !== null && html`<p>Your profile is ${profile}.</p>`}
    ${
      next !== null &&
      html`<p class="dim">
        In ${leftText(next.at, now)}
        ${next.profile === null ? 'the settings for everyone hold' : `the profile ${next.profile} holds`}.
      </p>`
    }
    ${state === 'paused' && html`<form method="post" action="/resume"><button class="main">Filter again now</button></form>`}
    ${
      pauses.length > 0 &&
      html`<form method="post" action="/pause">
        <p>Pause it for</p>
        <div class="row">
          ${pauses.map((minutes) => html`<button name="minutes" value="${minutes}">${durationText(minutes * 60_000)}</button>`)}
        </div>
      </form>`
    }
  </section>`
}

/** Traffic of today, the month and the last 24 hours. */
export const trafficSection = ({ today, month, hours }: DeviceView): Markup =>
  html`<section aria-labelledby="traffic">
    <h2 id="traffic">Traffic</h2>
    <dl>
      <dt>Today</dt>
      <dd>${amounts(today)}</dd>
      <dt>This month</dt>
      <dd>${amounts(month)}</dd>
    </dl>
    ${hours.some(({ received, sent }) => received + sent > 0) ? lastDay(hours) : html`<p class="dim">Nothing in the last 24 hours.</p>`}
  </section>`

const lastDay = (hours: readonly DeviceTraffic[]): Markup =>
  html`${chart(hours)}
    <div class="top dim"><span>24 hours ago</span><span>now</span></div>
    <p><span class="key key-received">received</span> &nbsp; <span class="key key-sent">sent</span></p>`

const amounts = ({ received, sent }: DeviceTraffic): string =>
  `${bytesText(received)} received, ${bytesText(sent)} sent`

const [barWidth, height] = [10, 60]

function chart(hours: readonly DeviceTraffic[]): Markup {
  const most = Math.max(1, ...hours.map(({ received, sent }) => received + sent))
  const total = hours.reduce((sum, { received, sent }) => sum + received + sent, 0)
  const bars = hours.map(({ received, sent }, index) => {
    const [down, up] = [(received / most) * height, (sent / most) * height]
    const bar = (kind: string, size: number, bottom: number) =>
      html`<rect
        class="${kind}"
        x="${index * barWidth + 1}"
        y="${(bottom - size).toFixed(1)}"
        width="${barWidth - 2}"
        height="${size.toFixed(1)}"
      />`
    return [down > 0 && bar('received', down, height), up > 0 && bar('sent', up, height - down)]
  })
  const width = hours.length * barWidth
  return html`<svg
    viewBox="0 0 ${width} ${height + 1}"
    preserveAspectRatio="none"
    role="img"
    aria-label="The last 24 hours: ${bytesText(total)}, at most ${bytesText(most === 1 ? 0 : most)} in an hour"
  >
    ${bars}
    <line class="base" x1="0" x2="${width}" y1="${height + 0.5}" y2="${height + 0.5}" />
  </svg>`
}

/** What the device is called here, and what it may use. */
export function deviceSection({ peer, dnsName, connectedSince, now }: DeviceView): Markup {
  const { quota, limit_down: down, limit_up: up, expires_at: expires } = peer
  const line = (label: string, value: string | null) =>
    value !== null &&
    html`<dt>${label}</dt>
      <dd>${value}</dd>`
  return html`<section aria-labelledby="device">
    <h2 id="device">This device</h2>
    <dl>
      ${line('Name', dnsName === null ? peer.name : `${peer.name} (${dnsName})`)} ${line('Interface', peer.interface)}
      ${line('Addresses', [peer.ip, ...(peer.ipv6 === null ? [] : [peer.ipv6])].join(', '))}
      ${line('Connected', connectedSince === null ? null : `for ${durationText(Math.max(0, now - connectedSince))}`)}
      ${line('Quota', quota === null ? null : quotaText(quota, now))} ${line('Speed', speedText(down, up))}
      ${line('Works until', expires === null ? null : dateText(Date.parse(expires), now))}
    </dl>
  </section>`
}

type Quota = NonNullable<DeviceView['peer']['quota']>

function quotaText({ bytes, used, until, at_limit: atLimit }: Quota, now: number): string {
  const left = Math.max(0, bytes - used)
  const then = { notify: '', slow: left === 0 ? '; it is slower until then' : '', stop: '' }[atLimit]
  return `${bytesText(left)} of ${bytesText(bytes)} left; begins anew in ${leftText(Date.parse(until), now)}${then}`
}

function speedText(down: number | null, up: number | null): string | null {
  const parts = [...(down === null ? [] : [`${down} Mbit/s down`]), ...(up === null ? [] : [`${up} Mbit/s up`])]
  return parts.length === 0 ? null : `at most ${parts.join(', ')}`
}
