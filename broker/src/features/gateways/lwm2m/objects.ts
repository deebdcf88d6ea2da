import { type Dirent, promises as fs } from 'node:fs';
import path from 'node:path';
import { LWM2M_TYPES, type Lwm2mType } from '@mqdeck/contract/gateway-devices';
import type { Log } from '../../../core/core.ts';
import { COMMON_OBJECTS } from './common-objects.ts';
import type { Path } from './path.ts';
import { readXml, type XmlElement } from './xml.ts';

export interface ResourceDefinition {
  readonly name: string;
  readonly operations: string; // `R`, `W`, `RW`, `E`, '' = none for servers
  readonly type: Lwm2mType | null; // null = none: something that is executed
}

interface ObjectDefinition {
  readonly name: string;
  readonly resources: ReadonlyMap<number, ResourceDefinition>;
}

const FILES_MAX = 2000;
const FILE_BYTES_MAX = 1024 * 1024;

/** What objects and their resources are called and hold: the common ones, and those that the operator has described. */
export class ObjectBook {
  private readonly objects = new Map<number, ObjectDefinition>();

  constructor() {
    for (const [id, name, rows] of COMMON_OBJECTS)
      this.objects.set(id, {
        name,
        resources: new Map(
          rows.map(([resource, called, operations, type]) => [resource, { name: called, operations, type }]),
        ),
      });
  }

  add(id: number, object: ObjectDefinition): void {
    this.objects.set(id, object);
  }

  object(id: number): ObjectDefinition | undefined {
    return this.objects.get(id);
  }

  /** Of the resource that a path leads to, or is inside of. */
  resource([object, , resource]: Path): ResourceDefinition | undefined {
    if (object === undefined || resource === undefined) return undefined;
    return this.objects.get(object)?.resources.get(resource);
  }
}

/** The common objects, and those of each file of the folder; one that cannot be read is told of and left out. */
export async function readObjects(folder: string, log: Log): Promise<ObjectBook> {
  const book = new ObjectBook();
  for (const file of await xmlFiles(folder)) {
    try {
      const { size } = await fs.stat(file);
      if (size > FILE_BYTES_MAX) throw new Error('larger than an object definition');
      for (const [id, object] of definitionsOf(await fs.readFile(file, 'utf8'))) book.add(id, object);
    } catch (err) {
      log.warn({ err, file }, 'an LwM2M object definition cannot be read');
    }
  }
  return book;
}

async function xmlFiles(folder: string): Promise<string[]> {
  let entries: Dirent[];
  try {
    entries = await fs.readdir(folder, { withFileTypes: true });
  } catch {
    return []; // there are none: the common objects will do
  }
  return entries
    .filter((entry) => entry.isFile() && entry.name.toLowerCase().endsWith('.xml'))
    .map(({ name }) => path.join(folder, name))
    .sort()
    .slice(0, FILES_MAX);
}

/** The objects of a file in the format of OMA's registry. Throws when it is none. */
export function definitionsOf(source: string): [id: number, ObjectDefinition][] {
  const root = readXml(source);
  if (root.name !== 'LWM2M') throw new Error('not a description of LwM2M objects');
  return root.children
    .filter(({ name }) => name === 'Object')
    .map((element): [number, ObjectDefinition] => {
      const items = childOf(element, 'Resources')?.children ?? [];
      return [
        idOf(textOf(element, 'ObjectID')),
        { name: textOf(element, 'Name'), resources: resourcesOf(items) },
      ];
    });
}

function resourcesOf(items: readonly XmlElement[]): Map<number, ResourceDefinition> {
  const resources = new Map<number, ResourceDefinition>();
  for (const item of items) {
    if (item.name !== 'Item' || item.id === undefined) continue;
    const type = textOf(item, 'Type');
    resources.set(idOf(item.id), {
      name: textOf(item, 'Name'),
      operations: textOf(item, 'Operations'),
      type: LWM2M_TYPES.find((known) => known === type) ?? null,
    });
  }
  return resources;
}

const childOf = ({ children }: XmlElement, name: string): XmlElement | undefined =>
  children.find((child) => child.name === name);

const textOf = (element: XmlElement, name: string): string => childOf(element, name)?.text.trim() ?? '';

function idOf(text: string): number {
  const id = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(id <= 65_535)) throw new Error(`no id: ${text}`);
  return id;
}
