import type { RunCommand } from '../wireguard/command.ts'

/**
 * Returns a `RunCommand` that gives the firewall tables of a node names of their own, `hearth_node…`: a host may be a node and
 * have a VPN service with tunnels, and either replaces its tables as a whole.
 */
export function withNodeTables(run: RunCommand): RunCommand {
  return (file, args, options = {}) => {
    if (file !== 'nft') return run(file, args, options)
    const { secretInput, ...rest } = options
    const named = args.map((word) => (/^hearth_vpn(_[a-z]+)?$/.test(word) ? renamed(word) : word))
    const input = secretInput?.replaceAll(/\binet hearth_vpn/g, renamed)
    return run(file, named, input === undefined ? rest : { ...rest, secretInput: input })
  }
}

const renamed = (text: string): string => text.replace('hearth_vpn', 'hearth_node')
