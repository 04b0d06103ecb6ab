import { OperatorError } from '@hearth/runtime'

/** Asks on the terminal for a text that is not shown while it is typed. */
export function readHidden(question: string): Promise<string> {
  const { stdin } = process
  if (!stdin.isTTY) throw new OperatorError('--passphrase-file is needed where nobody can be asked')
  process.stderr.write(question)
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  return new Promise((resolve, reject) => {
    let typed = ''
    const end = () => {
      stdin.off('data', take)
      stdin.setRawMode(false)
      stdin.pause()
      process.stderr.write('\n')
    }
    const take = (chunk: string) => {
      for (const character of chunk) {
        if (character === '\u0003') {
          end()
          reject(new OperatorError('interrupted'))
          return
        }
        if (character === '\r' || character === '\n' || character === '\u0004') {
          end()
          resolve(typed)
          return
        }
        typed =
          character === '\u007f' || character === '\b' ? Array.from(typed).slice(0, -1).join('') : typed + character
      }
    }
    stdin.on('data', take)
    stdin.resume()
  })
}
