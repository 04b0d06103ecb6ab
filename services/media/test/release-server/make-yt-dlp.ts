import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A fault of a release once it runs; without one it is the real program. */
export type ProgramFault =
  /** Reads no page any more, but tells its version. */
  | 'reads-nothing'
  /** Describes media, but can fetch none. */
  | 'fetches-nothing'
  /** Says it is another version. */
  | 'other-version'
  /** Cannot be started. */
  | 'no-start'

const python = '/usr/bin/python3'

const complaint = `sys.stderr.write('ERROR: [youtube] x: Unable to extract player data; please report this issue\\n'); sys.exit(1)`

const begins: Partial<Record<ProgramFault, string>> = {
  'reads-nothing': `if '--version' not in sys.argv: ${complaint}`,
  'fetches-nothing': `if any(word.startswith('--progress-template') for word in sys.argv): ${complaint}`,
  'no-start': 'raise ImportError("no such module")',
}

/** Makes releases of the yt-dlp that is installed here, as zip-apps under whatever version is wanted. */
export interface ProgramMaker extends Disposable {
  make(version: string, fault?: ProgramFault): Buffer
}

export function createProgramMaker(): ProgramMaker {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-releases-'))
  const where = execFileSync(python, ['-c', 'import os, yt_dlp; print(os.path.dirname(yt_dlp.__file__))'], { cwd: '/' })
  const source = String(where).trim()
  const content = join(folder, 'content')
  cpSync(source, join(content, 'yt_dlp'), { recursive: true, filter: (path) => !path.includes('__pycache__') })
  return {
    make(version, fault) {
      const said = fault === 'other-version' ? '2020.01.01' : version
      const versionFile = readFileSync(join(source, 'version.py'), 'utf8')
      writeFileSync(
        join(content, 'yt_dlp/version.py'),
        versionFile.replaceAll(/^(__version__|_pkg_version) = .*$/gm, `$1 = '${said}'`),
      )
      const begin = fault === undefined ? '' : (begins[fault] ?? '')
      writeFileSync(join(content, '__main__.py'), `import sys\n${begin}\nimport yt_dlp\nyt_dlp.main()\n`)
      const file = join(folder, 'yt-dlp')
      execFileSync(python, ['-m', 'zipapp', '--python', '/usr/bin/env python3', '--output', file, content])
      return readFileSync(file)
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
