class Node<T> {
  readonly name: string;
  readonly parent: Node<T> | null;
  children: Map<string, Node<T>> | null = null;
  value: T | undefined = undefined;

  constructor(name: string, parent: Node<T> | null) {
    this.name = name;
    this.parent = parent;
  }
}

/** Topics by their levels, to be looked for by filters. Keeps no branch without a value. */
export class TopicTree<T> {
  size = 0;
  private root = new Node<T>('', null);

  get(topic: string): T | undefined {
    return this.find(topic)?.value;
  }

  set(topic: string, value: T): void {
    let node = this.root;
    for (const level of topic.split('/')) {
      node.children ??= new Map();
      let child = node.children.get(level);
      if (!child) {
        child = new Node(level, node);
        node.children.set(level, child);
      }
      node = child;
    }
    if (node.value === undefined) this.size++;
    node.value = value;
  }

  delete(topic: string): void {
    let node = this.find(topic);
    if (node?.value === undefined) return;
    node.value = undefined;
    this.size--;
    while (node?.parent && node.value === undefined && node.children === null) {
      const parent: Node<T> = node.parent;
      parent.children?.delete(node.name);
      if (parent.children?.size === 0) parent.children = null;
      node = parent;
    }
  }

  clear(): void {
    this.root = new Node('', null);
    this.size = 0;
  }

  /**
   * What a filter matches; `undefined` wherever the walk only comes past, so that whoever pulls may rest however
   * little is found. The tree may change meanwhile: what is added behind the walk's back is not found.
   */
  matching(filter: string): Generator<T | undefined> {
    return this.walk(filter.split('/'), false);
  }

  /** As `matching`, but all there is. */
  values(): Generator<T | undefined> {
    return this.walk(['#'], true);
  }

  private find(topic: string): Node<T> | undefined {
    let node: Node<T> | undefined = this.root;
    for (const level of topic.split('/')) {
      node = node.children?.get(level);
      if (!node) return undefined;
    }
    return node;
  }

  private *walk(levels: readonly string[], dollar: boolean): Generator<T | undefined> {
    const stack = [{ nodes: [this.root].values() as Iterator<Node<T>>, depth: 0 }];
    while (stack.length > 0) {
      const { nodes, depth } = stack.at(-1)!;
      const next = nodes.next();
      if (next.done) {
        stack.pop();
        continue;
      }
      const node = next.value;
      const level = levels[depth];
      yield level === undefined || level === '#' ? node.value : undefined;
      const { children } = node;
      if (level === undefined || children === null) continue;
      if (level === '#' || level === '+') {
        const hides = node === this.root && !dollar; // [MQTT-4.7.2-1]
        stack.push({
          nodes: hides ? withoutDollar(children) : children.values(),
          depth: level === '#' ? depth : depth + 1,
        });
      } else {
        const child = children.get(level);
        if (child) stack.push({ nodes: [child].values(), depth: depth + 1 });
      }
    }
  }
}

function* withoutDollar<T>(children: Map<string, Node<T>>): Generator<Node<T>> {
  for (const child of children.values()) if (!child.name.startsWith('$')) yield child;
}
