import { ArtifactStorageFailed, type ArtifactStore } from './artifact-store.ts'

/**
 * The same store, whose `close` waits for the changes that are under way and lets none come after it: whoever asked for one
 * may be gone, but its work goes on.
 */
export function closingInOrder(store: ArtifactStore): ArtifactStore {
  const underWay = new Set<Promise<unknown>>()
  let isClosed = false

  async function change<T>(begin: () => Promise<T>): Promise<T> {
    if (isClosed) throw new ArtifactStorageFailed('the artifacts are closed')
    const work = begin()
    underWay.add(work)
    return await work.finally(() => underWay.delete(work))
  }

  return {
    put: (jobId, name, file) => change(() => store.put(jobId, name, file)),
    removeOne: (jobId, name) => change(() => store.removeOne(jobId, name)),
    removeJob: (jobId) => change(() => store.removeJob(jobId)),
    stat: (jobId, name) => store.stat(jobId, name),
    open: (jobId, name, range) => store.open(jobId, name, range),
    withLocalFile: (jobId, name, work) => store.withLocalFile(jobId, name, work),
    list: (jobId) => store.list(jobId),
    jobs: () => store.jobs(),
    async close() {
      isClosed = true
      await Promise.allSettled(underWay)
      await store.close()
    },
  }
}
