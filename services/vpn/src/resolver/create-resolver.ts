import { layOnHugePages } from '../dns/sockets/huge-pages.ts'
import { chooseEngine } from './choose-engine.ts'
import { ListsInForce } from './lists-in-force.ts'
import type { ResolverDependencies } from './opened-resolver.ts'
import { activeConfig, startConfig } from './read-files.ts'
import { Resolver } from './running-resolver.ts'
import { readResolverFiles } from './stored-files.ts'
import { UpstreamServers } from './upstream-servers.ts'

/**
 * Starts to answer, by the files in the directory: sockets first, with what is compiled of the lists, so that after a crash it
 * answers at once. Lists that changed meanwhile are compiled while it answers with the old ones.
 */
export async function createResolver(dependencies: ResolverDependencies): Promise<Resolver> {
  const read = await readResolverFiles(dependencies.directory, dependencies.warn)
  const { libc, engineReason } = await chooseEngine(read.settings.engine, dependencies.isCautious ?? false)
  const lists = new ListsInForce(dependencies.directory, {
    warn: dependencies.warn,
    prepare: (memory) => libc !== undefined && layOnHugePages(libc, memory),
  })
  const files = activeConfig(read, lists.bundle())
  const servers = new UpstreamServers(dependencies)
  const open = await servers.apply(files.settings.upstreams, files.zones.groups)
  const config = startConfig(files, lists.bundle(), { listeners: [], ...open })
  const resolver = new Resolver({ dependencies, libc, engineReason, files, lists, servers, config })
  await resolver.listen()
  return resolver
}
