import { startTcpProxy } from '@hearth/testing'

/** A way to PostgreSQL on which the answer to a commit gets lost, with its connection, when a test says so. */
export async function startLossyWay(to: string) {
  let [word, lost] = ['', 0]
  const watch = () => {
    let [isMeant, isLosing] = [false, false]
    return (bytes: Buffer, isAnswer: boolean): boolean => {
      if (isAnswer) {
        // What the database says of it nobody hears.
        const isLost = isLosing && bytes.includes('COMMIT')
        if (isLost) lost += 1
        return !isLost
      }
      isMeant ||= word !== '' && bytes.includes(word)
      if (isMeant && /commit/i.test(bytes.toString('latin1'))) [isLosing, word] = [true, '']
      return true
    }
  }
  const proxy = await startTcpProxy(to, watch)
  return {
    url: proxy.url,
    get lost() {
      return lost
    },
    loseCommitAfter(statement: string) {
      word = statement
    },
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  }
}
