import { createDomainIndex } from '../src/sites/domains.ts'
import type { RuleContext } from '../src/sites/rules/rule-context.ts'

/** A context in which there are no other sites and everything optional is allowed. */
export function makeRuleContext(members: Partial<RuleContext> = {}): RuleContext {
  return {
    siteId: undefined,
    domains: createDomainIndex([]),
    siteOfName: () => undefined,
    storedUsers: [],
    protectedAddresses: ['127.0.0.1:8104', 'localhost:2019', 'unix//run/caddy/admin.sock|0220'],
    protectedHosts: ['sites.house.test'],
    localHosts: ['server.house.test', '192.168.1.10'],
    listenPorts: [80, 443],
    staticBases: ['/srv/www'],
    socketDirectories: ['/run/apps'],
    hasOnDemandAsk: true,
    portal: { obstacle: undefined, siteId: 1, groups: new Set(['family']) },
    statusPages: new Set(['home']),
    hasNewDirectives: false,
    allowsRaw: true,
    hasCertificate: (id) => id === 1,
    hasAuthority: (id) => id === 1,
    ...members,
  }
}
