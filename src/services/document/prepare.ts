import type { Service } from '../file/services-file.ts'
import { cleanText, escapeText } from './clean.ts'
import { addConsoleResponses } from './combine.ts'
import { type DeclaredOperation, DocumentInvalid, type PublishedParts } from './document.ts'
import { readDocument } from './read.ts'
import { componentKeys, selectComponents, selectLinks } from './references.ts'
import { createRenaming } from './rename.ts'
import { selectOperations } from './select.ts'
import { nodeAt, textOf, walk } from './tree.ts'

/** A service's document after all stages that concern it alone. */
export interface PreparedParts extends PublishedParts {
  title: string
  version: string
  operations: DeclaredOperation[]
  leftOut: string[]
}

/** Reads, upgrades, validates, selects, cleans and names. Throws DocumentInvalid with the reasons why a document cannot be
 * used. `reserved` are the console's own components, such as `schemas/Agent`. */
export function prepareParts(
  service: Service,
  bytes: Uint8Array,
  reserved: readonly string[],
): PreparedParts {
  const document = readDocument(bytes)
  const { paths, operations: selected, leftOut } = selectOperations(document, service)
  const parts = { paths, components: selectComponents(document, paths) }
  const operationIds = new Set(selected.map(({ node }) => node['operationId']))
  const keepMountedLinks = selectLinks(document, paths, operationIds)
  const renaming = createRenaming(service.name, parts, selected)
  // One walk for all three stages, because walking takes as long as the work itself.
  walk(parts, (node) => {
    keepMountedLinks(node)
    cleanText(node)
    renaming.visit(node)
  })
  const components = renaming.finish()
  refuseReserved(componentKeys(components), reserved)
  addConsoleResponses(selected)

  const info = nodeAt(document, 'info')
  const title = escapeText(textOf(info['title']))
  return {
    area: service.tag,
    tag: { name: service.name, description: `Operations of ${title}` },
    title,
    version: textOf(info['version']),
    paths,
    components,
    operations: renaming.operations,
    leftOut,
  }
}

function refuseReserved(keys: readonly string[], reserved: readonly string[]): void {
  const taken = keys.filter((key) => reserved.includes(key))
  if (taken.length === 0) return
  throw new DocumentInvalid(...taken.map((key) => `It would publish ${key}, which is the console's own.`))
}
