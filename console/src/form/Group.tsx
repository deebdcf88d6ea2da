import { Children, isValidElement, type ReactNode } from 'react';
import { useFormState, useWatch } from 'react-hook-form';
import { useWords } from '../i18n/words.ts';
import classes from './form.module.css';
import { changedNames } from './values.ts';
import { words } from './words.ts';

/** Fields that belong together, under a heading and a sentence. @public */
export function Group({
  title,
  text,
  children,
}: {
  title: string;
  text?: string | undefined;
  children: ReactNode;
}) {
  return (
    <section className={classes.group}>
      <h2 className={classes.groupTitle}>{title}</h2>
      {text && <p className={classes.groupText}>{text}</p>}
      {children}
    </section>
  );
}

/** Rare fields, folded; says how many of them were changed. A wrong one unfolds them. */
export function Advanced({ title, children }: { title?: string | undefined; children: ReactNode }) {
  const w = useWords(words);
  const names = Children.toArray(children).flatMap((child) => {
    const name = isValidElement<{ name?: unknown }>(child) ? child.props.name : undefined;
    return typeof name === 'string' ? [name] : [];
  });
  const values = useWatch();
  const { defaultValues } = useFormState();
  const count = changedNames(names, defaultValues, values).length;
  return (
    <details className={classes.advanced}>
      <summary>
        {title ?? w.advanced}
        {count > 0 && <span className={classes.count}>{w.changed({ count })}</span>}
      </summary>
      <div className={classes.advancedBody}>{children}</div>
    </details>
  );
}
