import { ActiveHealth, PassiveHealth, type ProxyMembers } from '../../sites/proxy-schema.ts'
import { literalText, numberOf, secondsOf, wordOf } from './caddy-values.ts'
import type { SiteReading } from './site-reading.ts'
import { itemsOf, type JsonLocation, Members, membersOf } from './json-location.ts'

type Health = ProxyMembers['health']

/** Reads `health_checks` of a proxy. */
export function readHealth(location: JsonLocation | undefined, reading: SiteReading): Health {
  if (location === undefined) return { active: null, passive: null }
  const members = new Members(location)
  const [active, passive] = [members.take('active'), members.take('passive')]
  members.refuseOthers('health checks that sites do not have')
  return {
    active: active ? readActive(active, reading) : null,
    passive: passive ? readPassive(passive, reading) : null,
  }
}

function readActive(location: JsonLocation, reading: SiteReading): Health['active'] {
  const members = new Members(location)
  const [path, uri] = [members.take('path'), members.take('uri')]
  const status = members.take('expect_status')
  const host = hostOf(members.take('headers'), reading)
  const active = ActiveHealth.parse({})
  const read = {
    ...active,
    path: wordOf(uri) ?? wordOf(path) ?? '/',
    interval: secondsOf(members.take('interval')) ?? active.interval,
    timeout: secondsOf(members.take('timeout')) ?? active.timeout,
    expect_status: numberOf(status) ?? active.expect_status,
    host_header: host ?? null,
    passes: numberOf(members.take('passes')) ?? active.passes,
    fails: numberOf(members.take('fails')) ?? active.fails,
  }
  if (status === undefined)
    reading.changed(location, 'a health check that takes redirects for good; here only a status of 2xx is')
  for (const member of members.left())
    reading.lost(member, 'a part of the health check; without it the check may end otherwise')
  return read
}

function hostOf(headers: JsonLocation | undefined, reading: SiteReading): string | undefined {
  let host: string | undefined
  for (const [name, values] of membersOf(headers)) {
    const [value] = itemsOf(values)
    if (name === 'Host' && value) host = literalText(value)
    else reading.lost(values, 'a header of the health check')
  }
  return host
}

function readPassive(location: JsonLocation, reading: SiteReading): Health['passive'] {
  const members = new Members(location)
  const duration = members.take('fail_duration')
  const statuses = itemsOf(members.take('unhealthy_status')).map((status) => numberOf(status) ?? 0)
  const passive = {
    ...PassiveHealth.parse({}),
    fail_duration: secondsOf(duration) ?? 0,
    max_fails: numberOf(members.take('max_fails')) ?? 1,
    unhealthy_status: statuses,
    unhealthy_latency: secondsOf(members.take('unhealthy_latency')) ?? null,
  }
  for (const member of members.left()) reading.lost(member, 'a part of the passive health check')
  // Without a duration nothing is remembered, and so nothing counts as down.
  return duration === undefined ? null : passive
}
