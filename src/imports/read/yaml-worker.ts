import { parentPort, workerData } from 'node:worker_threads'
import { type YamlJob, YamlNotReadable, yamlToJson } from './yaml-to-json.ts'

/** The thread of one YAML body. Its message is what `readYaml` waits for. */
try {
  const { text, maxRows } = workerData as YamlJob
  parentPort?.postMessage({ rows: yamlToJson(text, maxRows) })
} catch (error) {
  // A document that is nested deeper than the stack of the parser ends with a RangeError.
  parentPort?.postMessage({ reason: error instanceof YamlNotReadable ? error.message : 'is nested too deep' })
}
