import { openArtifacts } from '../../src/artifacts/open-artifacts.ts'
import { parseArtifactLocation } from '../../src/artifacts/artifact-location.ts'

// A process that puts one file and is ended by its test: `node put-and-die.ts SETTING DATA_DIR JOB_ID NAME FILE`.
const [setting = '', dataDirectory = '', jobId = '', name = '', file = ''] = process.argv.slice(2)
const store = await openArtifacts(parseArtifactLocation(setting), { dataDirectory })
console.log('begins')
await store.put(jobId, name, file)
console.log('ends')
