import type { Firewall } from './firewall.ts'
import type { InterfaceRules } from './firewall-rules.ts'

/** The rules of the running interfaces, kept together because the firewall is written as a whole. */
export interface GuardedRules {
  of(name: string): InterfaceRules | null
  /** Puts one interface's rules in force, or takes them away with null. On failure nothing changes. */
  set(name: string, rules: InterfaceRules | null): Promise<void>
  /**
   * Starts over with the rules of all interfaces at once, so that after a restart of the service no interface waits without
   * its isolation for the others to be looked at.
   */
  startWith(all: readonly InterfaceRules[]): Promise<void>
  /**
   * Runs a change of peers while both their old and their new isolation holds, then leaves the new rules in force; on failure
   * the old ones. So no peer is on the tunnel for a moment without its isolation.
   */
  during<T>(name: string, rules: InterfaceRules | null, work: () => Promise<T>): Promise<T>
}

/** Starts with no interface running. */
export function createGuardedRules(firewall: Firewall): GuardedRules {
  const inForce = new Map<string, InterfaceRules>()

  async function set(name: string, rules: InterfaceRules | null): Promise<void> {
    const before = inForce.get(name) ?? null
    keep(name, rules)
    try {
      await firewall.apply([...inForce.values()])
    } catch (error) {
      keep(name, before)
      throw error
    }
  }

  function keep(name: string, rules: InterfaceRules | null): void {
    if (rules === null) inForce.delete(name)
    else inForce.set(name, rules)
  }

  async function during<T>(name: string, rules: InterfaceRules | null, work: () => Promise<T>): Promise<T> {
    const before = inForce.get(name) ?? null
    if (rules === null) return work()
    const isolated = [...new Set([...(before?.isolated ?? []), ...rules.isolated])]
    await set(name, { ...rules, isolated })
    try {
      const result = await work()
      await set(name, rules)
      return result
    } catch (error) {
      await set(name, before).catch(() => undefined)
      throw error
    }
  }

  async function startWith(all: readonly InterfaceRules[]): Promise<void> {
    inForce.clear()
    for (const rules of all) inForce.set(rules.name, rules)
    await firewall.apply(all)
  }

  return { of: (name) => inForce.get(name) ?? null, set, startWith, during }
}
