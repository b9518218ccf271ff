//! The order of the bins of a mesh's normals in MuJoCo.
//!
//! MuJoCo keeps the bins in a hash table and iterates over it. The library that it is built with (libc++) has one list of all
//! entries, those of one bucket side by side; a bucket's newest entry comes first, and so does the newest bucket. A full table
//! gets more than twice as many buckets, a prime number of them, and its entries are put together bucket by bucket again.

use std::collections::HashMap;

const NONE: usize = usize::MAX;

/// Bins by their angles, in steps of 0.01 rad.
#[derive(Debug, Default)]
pub(crate) struct Bins {
    place: HashMap<(i32, i32), usize>,
    hash: Vec<u64>,
    /// The entry after each.
    next: Vec<usize>,
    first: Option<usize>,
    /// For each bucket, the entry before its first (`NONE` for the very first), if it has any.
    bucket: Vec<Option<usize>>,
}

impl Bins {
    /// The number of a bin, which is added if it is new: 0, 1, 2 …
    pub fn place(&mut self, bin: (i32, i32)) -> usize {
        if let Some(&k) = self.place.get(&bin) {
            return k;
        }
        let k = self.hash.len();
        self.place.insert(bin, k);
        self.hash.push(hash(bin));
        self.next.push(NONE);
        if k + 1 > self.bucket.len() {
            self.grow();
        }
        self.insert(k);
        k
    }

    /// The bins in the order of the table.
    pub fn order(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.first, |&k| Some(self.next[k]).filter(|&k| k != NONE))
    }

    fn bucket_of(&self, k: usize) -> usize {
        (self.hash[k] % self.bucket.len() as u64) as usize
    }

    fn after(&self, before: usize) -> Option<usize> {
        if before == NONE {
            self.first
        } else {
            Some(self.next[before]).filter(|&k| k != NONE)
        }
    }

    fn set_after(&mut self, before: usize, k: Option<usize>) {
        if before == NONE {
            self.first = k;
        } else {
            self.next[before] = k.unwrap_or(NONE);
        }
    }

    fn insert(&mut self, k: usize) {
        let b = self.bucket_of(k);
        let before = self.bucket[b].unwrap_or(NONE);
        let old = self.after(before);
        self.next[k] = old.unwrap_or(NONE);
        self.set_after(before, Some(k));
        if self.bucket[b].is_none() {
            self.bucket[b] = Some(NONE);
            if let Some(old) = old {
                let b = self.bucket_of(old);
                self.bucket[b] = Some(k);
            }
        }
    }

    /// More buckets: entries of one bucket are brought together, in the order of the list.
    fn grow(&mut self) {
        let least = 2 * self.bucket.len() + 1;
        let size = if least < 2 { 2 } else { prime_from(least) };
        self.bucket = vec![None; size];
        let mut before = NONE;
        let mut last = NONE;
        while let Some(k) = self.after(before) {
            let b = self.bucket_of(k);
            if b == last {
                before = k;
            } else if let Some(start) = self.bucket[b] {
                let rest = self.after(k);
                self.set_after(before, rest);
                let old = self.after(start);
                self.next[k] = old.unwrap_or(NONE);
                self.set_after(start, Some(k));
            } else {
                self.bucket[b] = Some(before);
                before = k;
                last = b;
            }
        }
    }
}

/// Hash of a bin: the bits of both angles as floating-point numbers, mixed.
fn hash(bin: (i32, i32)) -> u64 {
    let bits = |x: i32| f64::from(x).to_bits();
    let (a, b) = (bits(bin.0), bits(bin.1));
    let mixed = b.wrapping_add(0x9e37_79b9).wrapping_add(a << 6);
    a ^ mixed.wrapping_add(a >> 2)
}

fn prime_from(n: usize) -> usize {
    let prime = |n: usize| {
        (2..)
            .take_while(|d| d * d <= n)
            .all(|d| !n.is_multiple_of(d))
    };
    (n..).find(|&n| prime(n)).unwrap_or(n)
}
