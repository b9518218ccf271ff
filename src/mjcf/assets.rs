//! The section `asset`, and skins, which may stand under `deformable` too.

use super::attrs::{self, Plain, exclusive};
use super::defaults::{inherit_material, material, no_children, texture, unknown_element};
use super::files;
use super::read::Reader;
use super::schema::{
    Bone, Hfield, Mesh, MeshBuiltin, ModelAsset, Skin, Texture, TextureBuiltin, TextureType, Tri,
};
use super::table::Attrs;
use super::xml::Node;

impl Reader<'_> {
    /// A section `<asset>`.
    pub fn asset(&mut self, section: &Node) {
        for node in &section.children {
            match node.tag.as_str() {
                "mesh" => self.mesh(node),
                "hfield" => self.hfield(node),
                "skin" => self.skin(node),
                "texture" => self.texture(node),
                "material" => {
                    let mut said = material(&mut self.log, node, &Plain);
                    let class = self.class(node);
                    inherit_material(&mut said, &self.classes.get(class).material);
                    said.class = None;
                    self.needs_name(node, said.name.as_deref());
                    self.spec.materials.push(said);
                }
                "model" => self.model_asset(node),
                tag => {
                    let names = ["mesh", "hfield", "skin", "texture", "material", "model"];
                    unknown_element(&mut self.log, node, tag, names.into_iter());
                }
            }
        }
    }

    /// Checks that an asset has a name, by which it is used.
    fn needs_name(&mut self, node: &Node, name: Option<&str>) {
        if name.unwrap_or("").is_empty() {
            let msg = "needs the attribute name: nothing else can refer to it";
            self.log
                .mistake(node.origin, node.attr("name").map(|_| "name"), msg);
        }
    }

    fn mesh(&mut self, node: &Node) {
        let mut mesh: Mesh = attrs::read(&mut self.log, node, &Plain);
        mesh.plugin = self.own_plugin(node);
        let class = self.class(node);
        mesh.inherit(&self.classes.get(class).mesh);
        mesh.class = None;
        let log = &mut self.log;
        if let Some(n) = mesh.maxhullvert
            && n != -1
            && n < 4
        {
            log.mistake(
                node.origin,
                Some("maxhullvert"),
                format!("maxhullvert must be -1 or larger than 3, found {n}"),
            );
        }
        exclusive(log, node, &["builtin", "file"]);
        exclusive(log, node, &["builtin", "vertex"]);
        if mesh.builtin.is_some_and(|b| b != MeshBuiltin::None) && mesh.params.is_none() {
            log.mistake(
                node.origin,
                Some("builtin"),
                "a builtin mesh needs the attribute params",
            );
        }
        mesh.name = mesh
            .name
            .or_else(|| mesh.file.as_deref().map(|f| files::stem_of(f).to_owned()));
        if let Some(file) = mesh.file.take() {
            let dir = self.compiler().meshdir.clone();
            mesh.file = Some(self.asset_path(node, "file", &file, dir.as_ref()));
        }
        self.needs_name(node, mesh.name.as_deref());
        self.spec.meshes.push(mesh);
    }

    fn hfield(&mut self, node: &Node) {
        let mut hfield: Hfield = attrs::read(&mut self.log, node, &Plain);
        no_children(&mut self.log, node);
        hfield.name = hfield
            .name
            .or_else(|| hfield.file.as_deref().map(|f| files::stem_of(f).to_owned()));
        if let Some(file) = hfield.file.take() {
            let dir = self.compiler().meshdir.clone();
            hfield.file = Some(self.asset_path(node, "file", &file, dir.as_ref()));
        } else {
            let log = &mut self.log;
            let (nrow, ncol) = (hfield.nrow(), hfield.ncol());
            for (name, n) in [("nrow", nrow), ("ncol", ncol)] {
                if !(2..=10_000).contains(&n) {
                    let attr = node.attr(name).map(|_| name);
                    log.mistake(
                        node.origin,
                        attr,
                        format!("{name} must be 2 to 10000 when there is no file, found {n}"),
                    );
                }
            }
            let wanted = i64::from(nrow) * i64::from(ncol);
            const MOST: i64 = 1 << 24;
            if wanted > MOST {
                let msg = format!("nrow × ncol is {wanted}, and no more than {MOST} are allowed");
                log.mistake(node.origin, Some("nrow"), msg);
            }
            if let Some(e) = &hfield.elevation
                && e.len() as i64 != wanted
            {
                let msg = format!(
                    "elevation needs nrow × ncol = {wanted} numbers, found {}",
                    e.len()
                );
                log.mistake(node.origin, Some("elevation"), msg);
            }
        }
        self.needs_name(node, hfield.name.as_deref());
        self.spec.hfields.push(hfield);
    }

    /// A skin.
    pub fn skin(&mut self, node: &Node) {
        let mut skin: Skin = attrs::read(&mut self.log, node, &Plain);
        if !(0..=5).contains(&skin.group()) {
            let found = skin.group();
            self.log.mistake(
                node.origin,
                Some("group"),
                format!("group of a skin is 0 to 5, found {found}"),
            );
        }
        for child in &node.children {
            if child.tag == "bone" {
                let bone: Bone = attrs::read(&mut self.log, child, &Plain);
                no_children(&mut self.log, child);
                skin.bones.push(bone);
            } else {
                unknown_element(&mut self.log, child, &child.tag, ["bone"].into_iter());
            }
        }
        self.check_skin(node, &skin);
        skin.name = skin
            .name
            .or_else(|| skin.file.as_deref().map(|f| files::stem_of(f).to_owned()));
        if let Some(file) = skin.file.take() {
            let dir = self.compiler().meshdir.clone();
            skin.file = Some(self.asset_path(node, "file", &file, dir.as_ref()));
        }
        self.spec.skins.push(skin);
    }

    /// Checks that a skin without a file has all its data.
    fn check_skin(&mut self, node: &Node, skin: &Skin) {
        if skin.file.is_some() {
            return;
        }
        let len = |x: &Option<Vec<f64>>| x.as_ref().map_or(0, Vec::len);
        let (vertex, texcoord, face) = (
            len(&skin.vertex),
            len(&skin.texcoord),
            skin.face.as_deref().unwrap_or(&[]),
        );
        if vertex == 0 || face.is_empty() || skin.bones.is_empty() {
            let msg = "needs either a file, or vertex, face and at least one <bone>";
            return self.log.mistake(node.origin, None, msg);
        }
        for (name, n) in [("vertex", vertex), ("face", face.len())] {
            if n % 3 != 0 {
                self.log.mistake(
                    node.origin,
                    Some(name),
                    format!("{name} needs three numbers each, found {n} in all"),
                );
            }
        }
        if texcoord != 0 && texcoord != vertex / 3 * 2 {
            let msg = format!(
                "texcoord needs two numbers a vertex, {} in all, found {texcoord}",
                vertex / 3 * 2
            );
            self.log.mistake(node.origin, Some("texcoord"), msg);
        }
        if let Some(bad) = face
            .iter()
            .find(|f| !usize::try_from(**f).is_ok_and(|f| f < vertex / 3))
        {
            let msg = format!(
                "face has vertex {bad}, and there are {} vertices, numbered from 0",
                vertex / 3
            );
            self.log.mistake(node.origin, Some("face"), msg);
        }
        for bone in &skin.bones {
            let (ids, weights) = (bone.vertid.as_deref().unwrap_or(&[]), len(&bone.vertweight));
            if ids.len() != weights {
                let msg = format!(
                    "vertweight needs a number for each of the {} of vertid, found {weights}",
                    ids.len()
                );
                self.log.mistake(bone.origin, Some("vertweight"), msg);
            }
            if let Some(bad) = ids
                .iter()
                .find(|v| !usize::try_from(**v).is_ok_and(|v| v < vertex / 3))
            {
                let msg = format!(
                    "vertid has vertex {bad}, and there are {} vertices, numbered from 0",
                    vertex / 3
                );
                self.log.mistake(bone.origin, Some("vertid"), msg);
            }
        }
    }

    fn texture(&mut self, node: &Node) {
        let mut said: Texture = texture(&mut self.log, node, &Plain);
        no_children(&mut self.log, node);
        let class = self.class(node);
        // a layout belongs to the grid size of the same element
        let (layout, regrid) = (said.gridlayout.clone(), said.gridsize.is_some());
        said.inherit(&self.classes.get(class).texture);
        said.class = None;
        if regrid && layout.is_none() {
            said.gridlayout = None;
        }
        let [rows, cols] = said.gridsize();
        if let Some(layout) = &layout
            && layout.len() as i64 != i64::from(rows) * i64::from(cols)
        {
            let msg = format!(
                "gridlayout needs a letter for each of the {rows} × {cols} cells of gridsize, found {}",
                layout.len()
            );
            self.log.mistake(node.origin, Some("gridlayout"), msg);
        }
        said.name = said
            .name
            .or_else(|| said.file.as_deref().map(|f| files::stem_of(f).to_owned()));
        let dir = self.compiler().texturedir.clone();
        let mut paths = std::mem::take(&mut said);
        paths.texts(&mut |attr, text| {
            if attr.kind == super::table::Kind::File {
                *text = self.asset_path(node, attr.name, text, dir.as_ref());
            }
        });
        self.check_texture(node, &paths);
        // a skybox needs no name: no material refers to it
        if paths.type_() != TextureType::Skybox {
            self.needs_name(node, paths.name.as_deref());
        }
        self.spec.textures.push(paths);
    }

    // pixels are not read, but attributes that make no texture are an error
    fn check_texture(&mut self, node: &Node, said: &Texture) {
        let flat = said.type_() == TextureType::TwoD;
        let sides = said.sides().map(|(_, file)| file);
        let mut wrong = |attr: &str, msg: &str| {
            self.log.mistake(node.origin, Some(attr), msg.to_owned());
        };
        let cells = said.gridsize().iter().product::<i32>();
        let made = said.builtin() != TextureBuiltin::None || said.hflip() || said.vflip();
        let made = made || cells > 1 || sides.iter().any(|s| s.is_some());
        if made && said.embed() == Tri::False {
            let msg =
                "only a texture that is one file as it is can be kept as a path; leave embed out";
            wrong("embed", msg);
        }
        if said.builtin() == TextureBuiltin::None {
            let some = said.file.is_some() || !flat && sides.iter().any(|s| s.is_some());
            if !some {
                wrong("file", "a texture needs a file, or builtin");
            }
            return;
        }
        if said.width() <= 0 {
            wrong("width", "the width of a builtin texture must be positive");
        }
        if flat && said.height() <= 0 {
            wrong(
                "height",
                "the height of a flat builtin texture must be positive",
            );
        }
        if said.nchannel() != 3 {
            wrong("nchannel", "builtin textures have 3 channels");
        }
    }

    fn model_asset(&mut self, node: &Node) {
        let said: ModelAsset = attrs::read(&mut self.log, node, &Plain);
        no_children(&mut self.log, node);
        if let Some(file) = &said.file {
            self.attachable(node, said.name.clone(), file);
        }
    }
}

impl Texture {
    /// Files of the sides of a cube, with their attributes: those towards x, -x, y, -y, z and -z.
    pub(crate) fn sides(&self) -> [(&'static str, &Option<String>); 6] {
        [
            ("fileright", &self.fileright),
            ("fileleft", &self.fileleft),
            ("fileup", &self.fileup),
            ("filedown", &self.filedown),
            ("filefront", &self.filefront),
            ("fileback", &self.fileback),
        ]
    }
}
